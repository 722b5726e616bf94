import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { serveRemote } from './remote.ts';

/** The answer of a server at one path. */
export interface BareAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface BareServerOptions {
  readonly certificate: string;
  readonly privateKey: string;
  /** Asks for client certificates of this authority. */
  readonly clientAuthority?: string | undefined;
  readonly answers: Readonly<Record<string, BareAnswer>>;
}

serveRemote({ listen });

async function listen(options: BareServerOptions): Promise<number> {
  const { certificate, privateKey, clientAuthority, answers } = options;
  const bodies = new Map(Object.entries(answers).map(([path, { body }]) => [path, Buffer.from(body)]));
  const isAsking = clientAuthority !== undefined;
  const server = createServer({
    cert: certificate,
    key: privateKey,
    ...(isAsking ? { ca: clientAuthority, requestCert: true, rejectUnauthorized: true } : {}),
    minVersion: 'TLSv1.2',
    keepAliveTimeout: 65_000,
    noDelay: true,
  });
  server.on('request', ({ url = '' }, response) => {
    const body = bodies.get(url);
    response.writeHead(body === undefined ? 404 : 200, answers[url]?.headers);
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
