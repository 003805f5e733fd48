@testable import SyncTokens

/// A key of RSA for tests, which nobody uses.
enum KeyOfRSA {
    static let json = """
        {\
        "kty":"RSA",\
        "kid":"rsa",\
        "n":"xILHQz1mKCsRyXPRO3Zp4A5ECuhX428fzGL2gzrKIjacBQBj3KCH3KxdQ-EvSNLfEqD_4dYVPr39nTlK-EXv\
        LypQ6JYwlrRqu5mVTnIfu_-YzTjBr5meZr7Jrx0f1ehjcmsmVGAzEdnnVCxm7lqseBjnn_YaauondZMFH6hG\
        nOtie60u3zIx3QVThcLVMhUe-SFQFybfWwNjki90ZPyjGfFzIxrAt-oEwYUXz3cy0qt3hJJG3zUAxpWr6K2m\
        1BACZgjFO3s2FIUPMlH4LJthdIvkKTsKgJN70_DT_Q0EkW8xOWAi68yrTBDZYsGSk-QUX2DCRX6fbsH3Hn1O\
        DmduCQ",\
        "e":"AQAB",\
        "d":"Cw-1ebJ2EqLCAI31ZBx5PzRuXhLQB6xUpOOZLq_beuuKAroP5PZgT2qgYVbGm5nLFrhbTvIHBh4ZrYTxFGKT\
        YRtHrJ_vojwLmf2-Ksk_wgxUJJEiTekewnfQ0HuaNCc9mc4wPSWhGksiu1k4fgg6lxQHzbhDqmr9x5979Vk6\
        iFCaUGrEcv946PDrwBZ3nHCfVlXAO3Hx0RUv26tyzUE3zZAi8pbV0RWQpeAAW1t8mxSRUKN-mbj-muiMpn1g\
        R3dlzXkLVrUDD_NdloJKOMGXP8h2a1YXZM4ZL0N0SXP2xTq2D90rEG1JDjlUD7US1gtw4TbUruS_DyXOHtkI\
        IKNNpQ",\
        "p":"7vZ2nxMyMu4AlyXb4qMjNH5mQwmld-zk-071ZL1_rM7SKCo3nCR6yMJzpHjRt-JZExILn9NyVXCRUeNCnabI\
        Ir_C7VAblms3QhviJRrivujq3lj3hI_LO66lcI6P2X_ZCLyAPlEXTqfz-NgBfTXv0KWr36hwruWKyViWyQpG\
        tAM",\
        "q":"0oV8LLdlHIlvawrgp0VM1umwHdU2pZtLhLmGXQ0DK0Hllvq05bWM9Ee_5Q2Dr-rln0fKpL2mMcMGz6TRV0H7\
        qKC7V9Ukg8RWpXi1le23zURhO_S6-LpXjZDh8D3TRcXF85GJ2PlW81Uu-DQQ5DoOtaCbAf_YBcdDuITMAyFz\
        xgM",\
        "dp":"Ubn9S9521rBLh2YtU8_TpIpuUxMjgmaE0eZpSvD8j4-UlKQLrN1VGQBYKLIhl7BUIo-TZjAc9Fexe74r9Fss\
        K6ZF9n_lT4aPuY5rw6D0V7K1USJAVRgQu_K5Jku7qvlssu41Nhrpy77pU_wcVkRyJnvi0nV7RHXBB6fCujNH\
        hx0",\
        "dq":"FvHzmdAXVifom-sglzqnaFkqF-ZQQXaOoZWy_ltXuBRDmNQUeWDzTwCu-qEhdEAO7PBfNttwzMWr7V_SbUdE\
        zZlPMgCKLU5t_zUL3Z5-RQIp8uX2pvtwZX6gEZY7e8RVkfmP47Uxc-4Z43WRTb7CMauimXIwMlkImYjnz4OK\
        4c8",\
        "qi":"lffdKHeVbmYU70ei4SWmSKceGeIdYFPK5C1AwI_3k25BGbWluDAMDqdb7EK6UZc0u9-dufIIkkisugFgL-2P\
        I-KNRA3nFpAArHz56WsyiOfb_novqdK4IjNMla8dbcvqTQv_eJuvV4YHQc5WnhYxeqB6rKna47oIrTrFsa-e\
        iJY"\
        }
        """

    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDEgsdDPWYoKxHJ
        c9E7dmngDkQK6Ffjbx/MYvaDOsoiNpwFAGPcoIfcrF1D4S9I0t8SoP/h1hU+vf2d
        OUr4Re8vKlDoljCWtGq7mZVOch+7/5jNOMGvmZ5mvsmvHR/V6GNyayZUYDMR2edU
        LGbuWqx4GOef9hpq6id1kwUfqEac62J7rS7fMjHdBVOFwtUyFR75IVAXJt9bA2OS
        L3Rk/KMZ8XMjGsC36gTBhRfPdzLSq3eEkkbfNQDGlavorabUEAJmCMU7ezYUhQ8y
        Ufgsm2F0i+QpOwqAk3vT8NP9DQSRbzE5YCLrzKtMENliwZKT5BRfYMJFfp9uwfce
        fU4OZ24JAgMBAAECggEACw+1ebJ2EqLCAI31ZBx5PzRuXhLQB6xUpOOZLq/beuuK
        AroP5PZgT2qgYVbGm5nLFrhbTvIHBh4ZrYTxFGKTYRtHrJ/vojwLmf2+Ksk/wgxU
        JJEiTekewnfQ0HuaNCc9mc4wPSWhGksiu1k4fgg6lxQHzbhDqmr9x5979Vk6iFCa
        UGrEcv946PDrwBZ3nHCfVlXAO3Hx0RUv26tyzUE3zZAi8pbV0RWQpeAAW1t8mxSR
        UKN+mbj+muiMpn1gR3dlzXkLVrUDD/NdloJKOMGXP8h2a1YXZM4ZL0N0SXP2xTq2
        D90rEG1JDjlUD7US1gtw4TbUruS/DyXOHtkIIKNNpQKBgQDu9nafEzIy7gCXJdvi
        oyM0fmZDCaV37OT7TvVkvX+sztIoKjecJHrIwnOkeNG34lkTEguf03JVcJFR40Kd
        psgiv8LtUBuWazdCG+IlGuK+6OreWPeEj8s7rqVwjo/Zf9kIvIA+URdOp/P42AF9
        Ne/QpavfqHCu5YrJWJbJCka0AwKBgQDShXwst2UciW9rCuCnRUzW6bAd1Talm0uE
        uYZdDQMrQeWW+rTltYz0R7/lDYOv6uWfR8qkvaYxwwbPpNFXQfuooLtX1SSDxFal
        eLWV7bfNRGE79Lr4uleNkOHwPdNFxcXzkYnY+VbzVS74NBDkOg61oJsB/9gFx0O4
        hMwDIXPGAwKBgFG5/UvedtawS4dmLVPP06SKblMTI4JmhNHmaUrw/I+PlJSkC6zd
        VRkAWCiyIZewVCKPk2YwHPRXsXu+K/RbLCumRfZ/5U+Gj7mOa8Og9FeytVEiQFUY
        ELvyuSZLu6r5bLLuNTYa6cu+6VP8HFZEciZ74tJ1e0R1wQenwrozR4cdAoGAFvHz
        mdAXVifom+sglzqnaFkqF+ZQQXaOoZWy/ltXuBRDmNQUeWDzTwCu+qEhdEAO7PBf
        NttwzMWr7V/SbUdEzZlPMgCKLU5t/zUL3Z5+RQIp8uX2pvtwZX6gEZY7e8RVkfmP
        47Uxc+4Z43WRTb7CMauimXIwMlkImYjnz4OK4c8CgYEAlffdKHeVbmYU70ei4SWm
        SKceGeIdYFPK5C1AwI/3k25BGbWluDAMDqdb7EK6UZc0u9+dufIIkkisugFgL+2P
        I+KNRA3nFpAArHz56WsyiOfb/novqdK4IjNMla8dbcvqTQv/eJuvV4YHQc5WnhYx
        eqB6rKna47oIrTrFsa+eiJY=
        -----END PRIVATE KEY-----
        """

    /// The public part.
    static let publicJSON = json.replacing(#/,"d":.*/#, with: "}")

    /// The modulus of another key.
    static let otherModulus = """
        38L3XcxX1p9iJiLf1UyS1WQp4Nu6ZtitKr8HAIYpTB2Hh6wmetG8IdkNKJGyVKjgcOS5bqBS9WYygAYvruWw\
        w-lXq4b6u7jr9IhFR85FjXAmI8Jx4B9xbCz4oSp-pNWZE-ZiRu3DHmh9xwAUMbFSLFIFP4zn-GVuZJE8TPiW\
        BhoSNXifot9x_p1r0mCO__GNgt_rvjWRvkCnnYnV8W0VPDlccKd4Lde8SfXV8bO8uVNoUVMHvMaZi5GYfvIh\
        1IQQ4jd-wiVEgMVfRO4diX7YKHaISyaucw7oTcoeep6GEt9lX1d0_pR6ee9NPRMO_l5mrkFvMwGs0EEpyXge\
        opjoHQ
        """

    /// The modulus of a key of 1,024 bits.
    static let shortModulus = """
        vNy12-dysgNa9ovZzNP80kG2Zanc0D9GFaoNwgFVzOyr9tba-tCHKpUQaW0a8ikhBmoSwWTGhMLy5UejaqBj\
        g0X1M_3X9SZo0etyL8HhRAq0ZhkP46--DBAIILEGendL0vxqSIFE-fLw_O0uFRW5e9NDggVKZdnfs0KTOqWG\
        aE0
        """

    /// The same JSON with another modulus.
    static func json(_ json: String, modulus: String) -> String {
        json.replacing(#/"n":"[^"]*"/#, with: "\"n\":\"\(modulus)\"")
    }
}
