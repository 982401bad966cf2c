"""tls_proxy.py FOLDER NAME PORT: makes an authority and a certificate for NAME in FOLDER (ca.pem), prints a port, and passes what
arrives there over TLS to PORT of this machine and back."""
import os
import selectors
import socket
import ssl
import subprocess
import sys

folder, name, target = sys.argv[1], sys.argv[2], int(sys.argv[3])
path = {kind: os.path.join(folder, kind) for kind in ("ca.pem", "ca.key", "server.pem", "server.key", "server.csr", "names")}
with open(path["names"], "w", encoding="utf-8") as names:
    names.write(f"subjectAltName=DNS:{name}\n")
openssl = ["openssl"]
new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
for arguments in (
        ["req", "-x509", *new_key, "-keyout", path["ca.key"], "-out", path["ca.pem"], "-subj", "/CN=authority"],
        ["req", *new_key, "-keyout", path["server.key"], "-out", path["server.csr"], "-subj", f"/CN={name}"],
        ["x509", "-req", "-in", path["server.csr"], "-CA", path["ca.pem"], "-CAkey", path["ca.key"], "-CAcreateserial",
         "-extfile", path["names"], "-out", path["server.pem"]]):
    subprocess.run(openssl + arguments, check=True, capture_output=True)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(path["server.pem"], path["server.key"])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    try:
        client = context.wrap_socket(listener.accept()[0], server_side=True)
    except (OSError, ssl.SSLError) as error:
        print(f"refused: {error}", flush=True)
        continue
    caster = socket.create_connection(("127.0.0.1", target))
    selector = selectors.DefaultSelector()
    selector.register(client, selectors.EVENT_READ, caster)
    selector.register(caster, selectors.EVENT_READ, client)
    try:
        while True:
            for key, _ in selector.select():
                data = key.fileobj.recv(65536)
                if not data:
                    raise ConnectionError
                key.data.sendall(data)
    except (OSError, ssl.SSLError):
        client.close()
        caster.close()
