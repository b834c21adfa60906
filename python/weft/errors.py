"""Errors by kind: which one says who can do something about it."""


class Error(RuntimeError):
    """What the library raises of its own. Its text has all parts; each is there by itself, too:

    what: one sentence; where: a file and line, a key, a cell; found: what was there; allowed: what could
    be there; remedy: what to do. Parts that say nothing are empty.
    """

    def __init__(self, text: str, *, what: str = "", where: str = "", found: str = "", allowed: str = "",
                 remedy: str = ""):
        super().__init__(text)
        self.what = what or text
        self.where = where
        self.found = found
        self.allowed = allowed
        self.remedy = remedy


class InputError(Error):
    """The case, the mesh or an argument is wrong."""


class UnsupportedError(Error):
    """The input is right, but Weft or the device does not do it."""


class DeviceError(Error):
    """The device or the system refused: memory, a driver, Gmsh, the disk."""


class NumericalError(Error):
    """The numbers refused: diverged, not finite, not converged."""


class InternalError(Error):
    """A fault of Weft's own."""
