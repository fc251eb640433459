"""A window on an X display as its user meets it: found by its title, whether it is shown and where, keys
pressed in it, and its close button."""
import ctypes
import ctypes.util
import os
import sys
import time

KEY_PRESS, KEY_RELEASE = 2, 3
VIEWABLE = 2
CLIENT_MESSAGE = 33
SHIFT, CONTROL, ALT_GR = 1, 4, 128


class Attributes(ctypes.Structure):
    """XWindowAttributes; only map_state is read."""
    _fields_ = [("head", ctypes.c_int * 5), ("visual", ctypes.c_void_p), ("root", ctypes.c_ulong), ("kind", ctypes.c_int * 4),
                ("planes", ctypes.c_ulong * 2), ("save_under", ctypes.c_int), ("colormap", ctypes.c_ulong), ("installed", ctypes.c_int),
                ("map_state", ctypes.c_int), ("rest", ctypes.c_char * 256)]


class KeyEvent(ctypes.Structure):
    """XKeyEvent, in the room of an XEvent."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("root", ctypes.c_ulong), ("subwindow", ctypes.c_ulong), ("time", ctypes.c_ulong),
                ("place", ctypes.c_int * 4), ("state", ctypes.c_uint), ("keycode", ctypes.c_uint), ("same_screen", ctypes.c_int),
                ("rest", ctypes.c_char * 128)]


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, in the room of an XEvent."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("message", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
                ("rest", ctypes.c_char * 128)]


class Display:
    def __init__(self):
        x = self.x = ctypes.CDLL(ctypes.util.find_library("X11"))
        x.XOpenDisplay.restype = ctypes.c_void_p
        x.XDefaultRootWindow.restype = ctypes.c_ulong
        x.XStringToKeysym.restype = ctypes.c_ulong
        self.ignore = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda display, error: 0)
        x.XSetErrorHandler(self.ignore)  # a window may vanish while it is looked at
        self.display = ctypes.c_void_p(x.XOpenDisplay(None))
        self.root = ctypes.c_ulong(x.XDefaultRootWindow(self.display))
        self.clock = 1000

    def end(self):
        self.x.XCloseDisplay(self.display)

    def find(self, title):
        """The window on top whose title contains `title`, if it is shown; else None."""
        root, parent, children, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        self.x.XQueryTree(self.display, self.root, ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children), ctypes.byref(count))
        found = None
        for i in range(count.value):
            window, name, attributes = ctypes.c_ulong(children[i]), ctypes.c_char_p(), Attributes()
            if not self.x.XFetchName(self.display, window, ctypes.byref(name)) or title.encode() not in (name.value or b""):
                continue
            if self.x.XGetWindowAttributes(self.display, window, ctypes.byref(attributes)) and attributes.map_state == VIEWABLE:
                found = window
        if children:
            self.x.XFree(children)
        return found

    def wait_for(self, title, process=None):
        """Waits until the window is shown; None if the process ends before."""
        while True:
            window = self.find(title)
            if window or (process and process.poll() is not None):
                return window
            time.sleep(0.01)

    def place(self, window):
        """Its x, y, width and height on the screen."""
        attributes = Attributes()
        self.x.XGetWindowAttributes(self.display, window, ctypes.byref(attributes))
        return list(attributes.head)[:4]

    def close(self, window):
        """Does what the close button of a window manager does."""
        self.x.XInternAtom.restype = ctypes.c_ulong
        event = ClientMessage(type=CLIENT_MESSAGE, sent=1, display=self.display, window=window, format=32)
        event.message = self.x.XInternAtom(self.display, b"WM_PROTOCOLS", 0)
        event.data[0] = self.x.XInternAtom(self.display, b"WM_DELETE_WINDOW", 0)
        self.x.XSendEvent(self.display, window, 0, 0, ctypes.byref(event))
        self.x.XSync(self.display, 0)

    def key(self, window, name, kind=KEY_PRESS, held=0):
        """held: the modifiers that are held down, SHIFT and so on."""
        event = KeyEvent(type=kind, sent=1, display=self.display, window=window, root=self.root, same_screen=1)
        event.keycode = self.x.XKeysymToKeycode(self.display, ctypes.c_ulong(self.x.XStringToKeysym(name.encode())))
        event.state = held
        self.clock += 50
        event.time = self.clock
        self.x.XSendEvent(self.display, window, 1, 3, ctypes.byref(event))
        self.x.XSync(self.display, 0)

    def press(self, window, name, held=0):
        self.key(window, name, KEY_PRESS, held)
        self.key(window, name, KEY_RELEASE, held)


if __name__ == "__main__":
    sys.exit(os.path.basename(__file__) + " is used by test_view.py")
