import ArgumentParser
import Delivery

extension LiveConfiguration: ExpressibleByArgument {}
