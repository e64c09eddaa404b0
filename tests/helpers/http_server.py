"""A server with the weaknesses of real ones. usage: http_server.py FOLDER. Prints its port; ends when its input does.

/good/FILE      the file, ranges honored          /plain/FILE    ranges ignored, all is sent
/cut/FILE       each answer breaks off after 1000 bytes of its body
/dead/FILE      each answer breaks off before its body begins
/shifted/FILE   a range that begins elsewhere than asked for
/moved/FILE     a redirection to /good/            /wrong/FILE    other bytes of the same length
FOLDER/requests lists what was asked for: path, range, answer."""
import http.server
import os
import sys
import threading

folder = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def note(self, code):
        with open(os.path.join(folder, "requests"), "a") as log:
            log.write(f"{self.path} {self.headers.get('Range', '-')} {code}\n")

    def refuse(self, code):
        self.note(code)
        self.send_response(code)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"gone")

    def do_GET(self):
        _, manner, name = (self.path + "//").split("/")[:3]
        path = os.path.join(folder, name)
        if manner == "moved":
            self.note(302)
            self.send_response(302)
            self.send_header("Location", f"/good/{name}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if manner not in ("good", "plain", "cut", "dead", "shifted", "wrong") or not os.path.isfile(path):
            return self.refuse(404)
        body = open(path, "rb").read()
        if manner == "wrong":
            body = bytes(255 - byte for byte in body)
        asked = self.headers.get("Range")
        code, start = 200, 0
        if asked and manner != "plain":
            start = int(asked.removeprefix("bytes=").split("-")[0])
            if start >= len(body):
                return self.refuse(416)
            code = 206
        self.note(code)
        if manner == "shifted":
            start //= 2
        self.send_response(code)
        if code == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        limit = {"cut": 1000, "dead": 0}.get(manner, len(body))
        self.wfile.write(body[start:start + limit])
        self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
