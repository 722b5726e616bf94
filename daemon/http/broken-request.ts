import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import { sendAnswer } from './answer.ts';
import { report } from './problem.ts';

/** Answers an invalid or too slow HTTP request with a GenericFailureReport and closes the connection. */
export function refuseBrokenRequest(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = describeError(error.code);
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function describeError(code: string | undefined): readonly [status: number, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the header fields are too large'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request arrived too slowly'];
  return [400, 'this is not a valid HTTP/1.1 request'];
}

/** Answers an expectation other than 100-continue (RFC 9110, 10.1.1). */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  sendAnswer(response, report(417, 'this expectation cannot be met', { Connection: 'close' }));
}
