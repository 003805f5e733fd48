import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// `deploy/sbom` prints a valid bill of materials in the format of CycloneDX, also while
    /// SwiftPM has locked the build.
    @Suite struct BillOfMaterialsTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardized

        /// What is used of the format.
        private struct Bill: Decodable {
            struct License: Decodable {
                let id: String?
                let name: String?
            }

            struct LicenseChoice: Decodable {
                let license: License?
                let expression: String?
            }

            struct Reference: Decodable {
                let type: String
                let url: String
            }

            struct Component: Decodable {
                let type: String
                let reference: String
                let name: String
                let version: String
                let purl: String?
                let licenses: [LicenseChoice]?
                let externalReferences: [Reference]?

                enum CodingKeys: String, CodingKey {
                    case type, name, version, purl, licenses, externalReferences
                    case reference = "bom-ref"
                }
            }

            struct Metadata: Decodable {
                let component: Component
            }

            struct Dependency: Decodable {
                let ref: String
                let dependsOn: [String]
            }

            let bomFormat: String
            let specVersion: String
            let serialNumber: String
            let version: Int
            let metadata: Metadata
            let components: [Component]
            let dependencies: [Dependency]
        }

        private func start() throws -> ChildProcess {
            try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                ["python3", Self.root.appending(path: "deploy/sbom").path, Program.server.path])
        }

        private func text(of script: ChildProcess) throws -> String {
            #expect(try script.wait() == .exit(0), "\(script.transcript)")
            return try script.output.all().joined(separator: "\n")
        }

        @Test func theBillIsValidAndWhole() throws {
            let (script, other) = (try start(), try start())
            let text = try text(of: script)
            #expect(try self.text(of: other) == text, "the same build gives the same bytes")
            let bill = try JSONDecoder().decode(Bill.self, from: Data(text.utf8))
            try checkForm(of: bill)
            try checkPackages(in: bill)
        }

        @Test func aPackageThatWasNotCheckedOutIsNamed() throws {
            let folder = try TemporaryFolder()
            let program = folder.path("collsync")
            for (name, text) in [
                (program, "#!/bin/sh\necho collsync 1.0\n"),
                (folder.path("workspace-state.json"), #"{"object":{"dependencies":[]}}"#),
            ] {
                try Data(text.utf8).write(to: URL(filePath: name))
            }
            #expect(chmod(program, 0o700) == 0)
            let script = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                ["python3", Self.root.appending(path: "deploy/sbom").path, program])
            #expect(try script.wait() == .exit(1), "\(script.transcript)")
            #expect(try script.output.all() == [])
            let error = try script.errors.all().joined()
            #expect(
                error.contains("has not checked out") && error.contains("swift-argument-parser"))
        }

        private func checkForm(of bill: Bill) throws {
            #expect(bill.bomFormat == "CycloneDX" && bill.specVersion == "1.5")
            #expect(bill.version == 1)
            let uuid = /urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
            #expect(bill.serialNumber.wholeMatch(of: uuid) != nil, "\(bill.serialNumber)")
            let program = try CommandResult.server(["--version"]).output.joined()
            #expect(bill.metadata.component.name == "collsync")
            #expect(program.hasSuffix(bill.metadata.component.version))
            let place = #"(github/[a-z0-9._-]+/[a-z0-9._-]+|deb/[a-z]+/[a-z0-9.+-]+)"#
            let qualifiers = #"(\?arch=[a-z0-9]+&distro=[a-z0-9.-]+)?"#
            let purl = try Regex("pkg:\(place)@[A-Za-z0-9._~%-]+\(qualifiers)")
            for component in bill.components {
                #expect(["library", "framework"].contains(component.type), "\(component)")
                #expect(component.purl?.wholeMatch(of: purl) != nil, "\(component)")
                #expect(component.version.wholeMatch(of: /[0-9a-f][^\s]*/) != nil, "\(component)")
                #expect(!component.name.isEmpty && component.licenses?.isEmpty == false)
                for choice in component.licenses ?? [] {
                    let names = [choice.expression, choice.license?.id, choice.license?.name]
                    #expect(names.compactMap { $0 }.count == 1, "\(component)")
                }
                // An expression is for all of a component, and alone.
                #expect(
                    component.licenses?.count == 1
                        || component.licenses?.allSatisfy { $0.expression == nil } == true)
                for reference in component.externalReferences ?? [] {
                    #expect(["vcs", "website"].contains(reference.type), "\(component)")
                    #expect(URL(string: reference.url)?.host() != nil, "\(component)")
                }
            }
            let references = bill.components.map(\.reference)
            #expect(Set(references).count == references.count)
            #expect(bill.dependencies.map(\.ref) == [bill.metadata.component.reference])
            #expect(Set(bill.dependencies[0].dependsOn) == Set(references))
        }

        private func checkPackages(in bill: Bill) throws {
            let manifest = try String(
                contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
            let packages = manifest.matches(of: /\.package\(url: "([^"]+)"/).map { String($0.1) }
            #expect(packages.count > 3)
            let listed = bill.components.flatMap { $0.externalReferences ?? [] }
                .filter { $0.type == "vcs" }.map(\.url)
            for url in packages {
                // Only tests use this one.
                let isLinked = !url.hasSuffix("/swift-protobuf")
                #expect(listed.contains(url) == isLinked, "\(url)")
            }
            #expect(bill.components.contains { $0.reference == "swift-runtime" })
            let list = try String(
                contentsOf: Self.root.appending(path: "deploy/packages"), encoding: .utf8)
            // The names of the libraries' packages begin so; what follows is a version.
            for (library, package) in [
                ("libsqlite3", "libsqlite3-dev"), ("libssl", "libssl-dev"), ("libuv", "libuv1-dev"),
                ("zlib1g", "zlib1g-dev"),
            ] {
                #expect(list.split(separator: "\n").contains { $0 == package })
                let found = bill.components.filter { $0.reference.hasPrefix("deb:\(library)") }
                #expect(found.count == 1, "\(library)")
            }
            #expect(bill.components.contains { $0.reference == "deb:libc6" })
        }
    }
}
