"""A page in headless Chromium, driven over the DevTools protocol by two pipes: no other package is needed."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars"]


def program():
    """The browser's path, or None."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """with Browser() as b: b.open(path); b.run("document.title")"""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_child, self.to = os.pipe()
        self.come, from_child = os.pipe()

        def pipes():  # the browser reads from 3 and writes to 4
            os.dup2(os.dup(to_child), 103)
            os.dup2(os.dup(from_child), 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self.process = subprocess.Popen([program(), *FLAGS, "--remote-debugging-pipe", "--user-data-dir=" + self.folder.name,
                                         "about:blank"], preexec_fn=pipes, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.left, self.number, self.session = b"", 0, None
        self.messages, self.requests = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.come)
        self.folder.cleanup()

    def _next(self, seconds=60):
        end = time.monotonic() + seconds
        while b"\0" not in self.left:
            if not select.select([self.come], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.come, 1 << 16)
            if not piece:
                raise OSError("the browser has ended")
            self.left += piece
        message, self.left = self.left.split(b"\0", 1)
        return json.loads(message)

    def _hear(self, message):
        kind, about = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.messages.append(about["exceptionDetails"].get("text", "") + str(about["exceptionDetails"].get("exception")))
        elif kind == "Runtime.consoleAPICalled":
            self.messages.append(about["type"] + " " + str(about["args"]))
        elif kind == "Log.entryAdded":
            self.messages.append(about["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif kind == "Page.javascriptDialogOpening":
            self.messages.append("dialog: " + about["message"])
            self._send("Page.handleJavaScriptDialog", accept=True)

    def _send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        return self.number

    def call(self, method, **parameters):
        number = self._send(method, **parameters)
        while True:
            message = self._next()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(str(message["error"]))
                return message["result"]
            self._hear(message)

    def open(self, path):
        """Loads a file and waits until it has."""
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while self.run("document.readyState + location.protocol") != "completefile:":
            time.sleep(0.05)

    def run(self, script):
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(str(done["exceptionDetails"]))
        return done["result"].get("value")

    def download(self, script, name):
        """Runs a script that downloads a file, and waits until the file is there, in the current folder."""
        folder = os.path.join(self.folder.name, "downloads")
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
        self.run(script)
        end = time.monotonic() + 20
        while not os.path.exists(os.path.join(folder, name)):
            if time.monotonic() > end:
                raise TimeoutError(f"{name} was not downloaded")
            time.sleep(0.05)
        shutil.move(os.path.join(folder, name), name)

    def look(self, width, height, dark=False, mobile=False, media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path, whole=False):
        """A PNG of what is seen, or of the whole page."""
        more = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            more = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1},
                    "captureBeyondViewport": True}
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"]))
