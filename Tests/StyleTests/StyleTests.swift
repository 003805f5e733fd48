// StyleTests
