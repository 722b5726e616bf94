import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';

import { makeSelfSignedServerCertificate } from '../../daemon/security/certificate/certificate-issuer.ts';
import { findFreePort } from './free-ports.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

/** A program of Debian that shows the gateway below `/plant/gateway` over HTTPS. */
export type ProxyKind = 'nginx' | 'haproxy';

/** The path below which the proxies show the gateway. */
export const PROXY_PREFIX = '/plant/gateway';

interface Places {
  readonly directory: string;
  readonly port: number;
  readonly gatewayPort: number;
}

const CONFIGURATIONS: Readonly<Record<ProxyKind, (places: Places) => string>> = {
  nginx: ({ directory, port, gatewayPort }) => `
daemon off;
pid ${directory}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${directory}/proxy.crt;
    ssl_certificate_key ${directory}/proxy.key;
    location ${PROXY_PREFIX}/ {
      proxy_pass http://127.0.0.1:${gatewayPort}/;
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Prefix ${PROXY_PREFIX};
    }
  }
}
`,
  haproxy: ({ directory, port, gatewayPort }) => `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend public
  bind 127.0.0.1:${port} ssl crt ${directory}/proxy.pem
  http-request set-header Forwarded "for=%[src];host=%[req.hdr(host)];proto=https"
  http-request set-header X-Forwarded-Prefix ${PROXY_PREFIX}
  http-request replace-path ${PROXY_PREFIX}/(.*) /\\1
  default_backend gateway
backend gateway
  server gateway 127.0.0.1:${gatewayPort}
`,
};

const ARGUMENTS: Readonly<Record<ProxyKind, (file: string, directory: string) => readonly string[]>> = {
  nginx: (file, directory) => ['-e', 'stderr', '-p', directory, '-c', file],
  haproxy: (file) => ['-db', '-f', file],
};

/** Starts a reverse proxy before a gateway and waits until it takes connections; it is stopped when the test ends. */
export async function startReverseProxy(
  t: Owner,
  kind: ProxyKind,
  gatewayPort: number,
): Promise<{ readonly port: number }> {
  const directory = path.join(createTemporaryDirectory(t), kind);
  mkdirSync(directory);
  const port = await findFreePort();
  const names = { hostNames: ['localhost'], addresses: ['127.0.0.1'] };
  const { certificate, privateKey } = await makeSelfSignedServerCertificate(names);
  writeFileSync(path.join(directory, 'proxy.crt'), certificate);
  writeFileSync(path.join(directory, 'proxy.key'), privateKey);
  writeFileSync(path.join(directory, 'proxy.pem'), `${certificate}\n${privateKey}`);
  const file = path.join(directory, 'proxy.conf');
  writeFileSync(file, CONFIGURATIONS[kind]({ directory, port, gatewayPort }));
  const child = spawn(`/usr/sbin/${kind}`, ARGUMENTS[kind](file, directory), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`${kind} ended: ${errors}`);
  }
  return { port };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
