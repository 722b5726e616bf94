import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

import type { RequestConnection } from '../../../../daemon/server/http/connection/connection.ts';
import type { RequestContext } from '../../../../daemon/server/http/request-context.ts';
import { createByteBudget } from '../../../support/connection-table.ts';

/** Creates a received request with these header fields, on an unconnected socket. */
export function createRequest(headers: IncomingHttpHeaders = {}, socket = new Socket()): IncomingMessage {
  const request = new IncomingMessage(socket);
  request.method = 'GET';
  request.headers = headers;
  return request;
}

/** Returns a connection that accepts any number of bytes. */
export function createConnection(): RequestConnection {
  const budget = createByteBudget();
  return {
    noteIdentity: () => undefined,
    noteOwnTime: () => undefined,
    findCertificate: () => undefined,
    reserve: (network) => budget.open({ party: network, onEvict: () => undefined }),
  };
}

/** Creates the context of a request. */
export function createContext(
  headers: IncomingHttpHeaders = {},
  changes: Partial<RequestContext> = {},
): RequestContext {
  const request = createRequest(headers);
  return {
    request,
    response: new ServerResponse(request),
    requestId: 'request-1',
    port: 443,
    isTls: true,
    isSecure: true,
    pathPrefix: '',
    isLocal: false,
    startedAtMs: 0,
    remoteAddress: '192.0.2.7',
    isFromOtherHost: false,
    certificate: undefined,
    closing: new AbortController().signal,
    connection: createConnection(),
    parameters: {},
    principal: undefined,
    sessionId: undefined,
    body: undefined,
    ...changes,
  };
}
