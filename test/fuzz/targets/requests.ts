import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { InvalidRequest } from '../../../daemon/base/errors.ts';
import { z } from '../../../daemon/base/schema.ts';
import {
  checkAccept,
  checkContentType,
  readMediaType,
} from '../../../daemon/server/http/content-negotiation.ts';
import { findSessionCookie, formatSessionCookie } from '../../../daemon/server/http/cookie.ts';
import { readBasis } from '../../../daemon/server/http/entity-tag.ts';
import { findForwardedAddress } from '../../../daemon/server/http/proxy/forwarded.ts';
import { findLastEventId } from '../../../daemon/server/http/stream/event-stream.ts';
import { HttpRefusal } from '../../../daemon/server/http/problem.ts';
import { readQuery, listUnknownParameters } from '../../../daemon/server/http/query.ts';
import { integerParameter } from '../../../daemon/interface/query-parameter.ts';
import { createTrustedProxies } from '../../../daemon/server/http/proxy/trusted-proxies.ts';
import { readBasicCredentials } from '../../../daemon/security/identity/basic-credentials.ts';
import { checkClaims } from '../../../daemon/security/token/claims.ts';
import { readClaims, readToken } from '../../../daemon/security/token/token-format.ts';
import { TokenRefused } from '../../../daemon/security/token/token-error.ts';
import { attempt, show } from '../fuzz-target.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const schema = z.object({ a: z.string().optional(), n: integerParameter(0, 100).optional() });
const trusted = createTrustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);

const READERS: readonly ((text: string) => unknown)[] = [
  (text) => {
    const found = findSessionCookie(text);
    if (found !== undefined)
      assert.equal(findSessionCookie(formatSessionCookie(found, true).split(';')[0]), found);
    return found;
  },
  (text) => {
    const found = readBasicCredentials(text);
    const again =
      found &&
      readBasicCredentials(`Basic ${Buffer.from(`${found.name}:${found.password}`).toString('base64')}`);
    assert.deepEqual(again, found);
    return found;
  },
  (text) => attempt([HttpRefusal], () => checkAccept(requestWith({ accept: text }), 'application/json')),
  (text) => {
    const request = requestWith({ 'content-type': text });
    return [
      readMediaType(request),
      attempt([HttpRefusal], () => checkContentType(request, 'application/json', 'text/csv')),
    ];
  },
  (text) => findForwardedAddress(requestWith({ 'x-forwarded-for': text }), trusted),
  (text) => attempt([HttpRefusal], () => readBasis(requestWith({ 'if-match': text }), true)),
  (text) => findLastEventId(requestWith({ 'last-event-id': text })),
  (text) => {
    const request = requestWith({}, `/?${text}`);
    return [
      attempt([InvalidRequest], () => readQuery(request, schema)),
      listUnknownParameters({ query: schema }, request.url ?? ''),
    ];
  },
];

function requestWith(headers: Readonly<Record<string, string>>, url = '/'): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: '::ffff:127.0.0.1' });
  const request = new IncomingMessage(socket);
  request.url = url;
  request.headers = headers;
  return request;
}

const fields: FuzzTarget = {
  name: 'header-fields',
  seeds: [
    'JSESSIONID=abc; a=b',
    `Basic ${Buffer.from('admin:pass:word').toString('base64')}`,
    'text/*;q=0.5, application/json;q=0, */*',
    'application/json; charset="utf-8"',
    '192.0.2.7, 10.0.0.1',
    '"17"',
    'a=%20&n=7',
  ],
  words: [
    'JSESSIONID=',
    ';',
    '; ',
    '=',
    ',',
    ';q=',
    'q=0',
    '*/*',
    'application/json',
    'charset=',
    'Basic ',
    '::ffff:10.0.0.1',
    'fd00::1%eth0',
    '"1"',
    '%00',
    '&',
    'n=',
    '\xa0',
    '\0',
  ],
  // Node.js gives header fields as latin1.
  run: (input) => show(READERS.map((read) => read(input.toString('latin1')))),
};

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const CLAIMS = {
  iss: 'a',
  sub: 'b',
  aud: ['/token/jwt/v1/access'],
  exp: 1_800_000_000,
  nbf: 1,
  iat: 1_700_000_000,
  jti: 'x',
};

const token: FuzzTarget = {
  name: 'token',
  seeds: [
    JSON.stringify({ alg: 'ES256', kid: 'k' }),
    JSON.stringify(CLAIMS),
    `${encode({ alg: 'ES256' })}.${encode(CLAIMS)}.AAAA`,
  ],
  words: [
    '.',
    '"alg":"RS256"',
    '"alg":"none"',
    '"crit":[]',
    '"aud":"/token/jwt/v1/refresh"',
    '"exp":1e308',
    '"exp":-1',
    '"iat":null',
    '\\u0061',
    '{',
    '}',
    ',',
    '"jti":""',
  ],
  run(input) {
    // A search changes JSON more easily than its base64: what has no point is a header, and claims.
    const given = input.toString('latin1');
    const part = input.toString('base64url');
    const texts = [given, `${part}.${encode(CLAIMS)}.AAAA`, `${encode({ alg: 'ES256' })}.${part}.AAAA`];
    return show(
      texts.map((text) =>
        attempt([TokenRefused], () => {
          const { payload, ...header } = readToken(text);
          const claims = readClaims(payload);
          assert.deepEqual(claims, JSON.parse(Buffer.from(payload).toString('utf8')));
          return (['access', 'refresh'] as const).map((kind) =>
            attempt([TokenRefused], () => [
              header,
              checkClaims(claims, {
                kind,
                nowMs: 1_750_000_000_000,
                toleranceSeconds: 60,
                trustedIssuers: [],
              }),
            ]),
          );
        }),
      ),
    );
  },
};

/** What clients send beside documents. */
export const REQUESTS: readonly FuzzTarget[] = [fields, token];
