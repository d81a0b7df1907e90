// Swift Testing adds this module to each file that also imports UIKit.
