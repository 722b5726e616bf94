import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

import type { RequestConnection } from '../../../daemon/http/connection.ts';
import type { Exchange } from '../../../daemon/http/exchange.ts';
import { createByteBudget } from '../../support/connection-table.ts';

/** Makes a request that has arrived with these header fields, on a socket that leads nowhere. */
export function createIncoming(headers: IncomingHttpHeaders = {}, socket = new Socket()): IncomingMessage {
  const incoming = new IncomingMessage(socket);
  incoming.method = 'GET';
  incoming.headers = headers;
  return incoming;
}

/** Returns a connection on which there is room for everything. */
export function createConnection(): RequestConnection {
  const budget = createByteBudget();
  return {
    noteIdentity: () => undefined,
    findCertificate: () => undefined,
    hold: (network) => budget.open({ party: network, giveUp: () => undefined }),
  };
}

/** Makes an exchange around a request. */
export function createExchange(headers: IncomingHttpHeaders = {}, changes: Partial<Exchange> = {}): Exchange {
  const request = createIncoming(headers);
  return {
    request,
    response: new ServerResponse(request),
    requestId: 'request-1',
    port: 443,
    isTls: true,
    isLocal: false,
    startedAtMs: 0,
    remoteAddress: '192.0.2.7',
    isFromOtherHost: false,
    certificate: undefined,
    closing: new AbortController().signal,
    connection: createConnection(),
    ...changes,
  };
}
