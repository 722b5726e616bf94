import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import * as fc from 'fast-check';

import { checkAccept, checkContentType } from '../../daemon/server/http/content-negotiation.ts';
import { findSessionCookie, formatSessionCookie } from '../../daemon/server/http/cookie.ts';
import { formatEntityTag, readBasis } from '../../daemon/server/http/entity-tag.ts';
import { findForwardedAddress } from '../../daemon/server/http/proxy/forwarded.ts';
import { finish } from '../../daemon/base/slices.ts';
import { findRefusedEscapes } from '../../daemon/server/http/body/body-text.ts';
import { parseJson } from '../../daemon/server/http/body/json-body.ts';
import { findLastEventId } from '../../daemon/server/http/stream/event-stream.ts';
import { HttpRefusal } from '../../daemon/server/http/problem.ts';
import { readQuery } from '../../daemon/server/http/query.ts';
import { createTrustedProxies } from '../../daemon/server/http/proxy/trusted-proxies.ts';
import { readBasicCredentials } from '../../daemon/security/identity/basic-credentials.ts';
import { InvalidRequest } from '../../daemon/base/errors.ts';
import { z } from '../../daemon/base/schema.ts';
import { propertyTest } from './property-test.ts';

function requestWith(headers: Readonly<Record<string, string>>, url = '/'): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.url = url;
  request.headers = { ...headers };
  return request;
}

const isAccepted = (check: () => void): boolean => {
  try {
    check();
    return true;
  } catch (error) {
    assert.ok(error instanceof HttpRefusal);
    return false;
  }
};

const cookieValue = fc.string({
  unit: fc.constantFrom(...'abcXYZ019-_.~!#$'.split('')),
  minLength: 1,
  maxLength: 30,
});
const cookiePair = fc.tuple(
  fc.constantFrom('JSESSIONID', 'jsessionid', 'XJSESSIONID', 'a', ''),
  fc.oneof(cookieValue, fc.constantFrom('', 'a b', '"q"', 'a,b', 'é')),
);

propertyTest(
  'the session cookie is found among any others, and none is where there are two or its value is not one',
  fc.property(
    fc.array(cookiePair, { maxLength: 5 }),
    fc.constantFrom('; ', ';', ' ;  '),
    (pairs, separator) => {
      const header = pairs.map(([name, value]) => `${name}=${value}`).join(separator);
      const own = pairs.filter(([name]) => name === 'JSESSIONID').map(([, value]) => value);
      const isGood = own.length === 1 && /^[\w.~!#$-]+$/.test(own[0] ?? '');
      assert.equal(findSessionCookie(header), isGood ? own[0] : undefined);
    },
  ),
  5,
);

propertyTest(
  'the id of a session comes back from the cookie that was set',
  fc.property(cookieValue, fc.boolean(), (id, isTls) => {
    const set = formatSessionCookie(id, isTls);
    assert.equal(findSessionCookie(set.split(';')[0]), id);
    assert.equal(/; Secure(?:;|$)/.test(set), isTls);
  }),
);

propertyTest(
  'BASIC credentials come back as they were encoded, unless they hold control characters or a colon in the name',
  fc.property(
    fc.string({ unit: 'binary', maxLength: 10 }),
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 10 }),
      fc.string({ unit: fc.constantFrom('a', ':', 'é'), maxLength: 6 }),
    ),
    fc.constantFrom('Basic', 'basic', 'BASIC'),
    (name, password, scheme) => {
      fc.pre(!name.includes(':') && name.isWellFormed() && password.isWellFormed());
      const found = readBasicCredentials(
        `${scheme} ${Buffer.from(`${name}:${password}`).toString('base64')}`,
      );
      const isClean = Array.from(`${name}${password}`).every((one) => {
        const code = one.codePointAt(0) ?? 0;
        return code >= 0x20 && (code < 0x7f || code > 0x9f);
      });
      assert.deepEqual(found, isClean ? { name, password } : undefined);
    },
  ),
  2,
);

propertyTest(
  'any other spelling of the same credentials is none',
  fc.property(
    fc.uint8Array({ minLength: 1, maxLength: 9 }),
    fc.nat(),
    fc.constantFrom('A', 'B', '=', ' ', '-', '\n'),
    (bytes, at, character) => {
      const encoded = Buffer.from(bytes).toString('base64');
      const place = at % encoded.length;
      const changed = encoded.slice(0, place) + character + encoded.slice(place + 1);
      const found = readBasicCredentials(`Basic ${changed}`);
      if (found === undefined) return;
      // What is taken is what a strict reader would encode to the same text.
      assert.equal(Buffer.from(`${found.name}:${found.password}`).toString('base64'), changed);
    },
  ),
  2,
);

const media = fc.constantFrom(
  'application/json',
  'application/*',
  '*/*',
  'text/csv',
  'text/*',
  'application/xml',
);
const weight = fc.constantFrom(
  '',
  ';q=1',
  ';q=0',
  '; q=0.5',
  ';q=0.001',
  ';charset=utf-8',
  ';charset=utf-8;q=0',
  ';q=0.0',
);

// RFC 9110, 12.5.1, from the most to the least specific range.
function slowlyAccepts(ranges: readonly (readonly [string, string])[], offered: string): boolean {
  const [kind = ''] = offered.split('/');
  for (const wanted of [offered, `${kind}/*`, '*/*']) {
    const found = ranges.find(([range]) => range === wanted);
    if (found !== undefined) return !/q=0(?:\.0)?$/.test(found[1]);
  }
  return false;
}

propertyTest(
  'of the ranges that a client accepts, the most specific decides',
  fc.property(
    fc.array(fc.tuple(media, weight), { minLength: 1, maxLength: 5 }),
    fc.constantFrom('application/json', 'text/csv'),
    fc.boolean(),
    (ranges, offered, isUpper) => {
      const header = ranges.map(([range, parameters]) => `${range}${parameters}`).join(', ');
      const accept = isUpper ? header.toUpperCase() : header;
      assert.equal(
        isAccepted(() => checkAccept(requestWith({ accept }), offered)),
        slowlyAccepts(ranges, offered),
      );
    },
  ),
  5,
);

propertyTest(
  'a body has one of the types of the endpoint, in UTF-8 and without coding',
  fc.property(
    fc.constantFrom('application/json', 'Application/JSON', 'text/plain', 'application/jsonx', ''),
    fc.constantFrom(
      '',
      ';charset=utf-8',
      '; charset=UTF-8',
      '; charset="utf-8"',
      ';charset=latin1',
      '; charset=utf-16',
    ),
    fc.constantFrom('', 'identity', 'gzip', 'br'),
    (type, parameter, coding) => {
      const request = requestWith({
        'content-type': `${type}${parameter}`,
        ...(coding === '' ? {} : { 'content-encoding': coding }),
      });
      const expected =
        type.toLowerCase() === 'application/json' &&
        !/latin1|16/.test(parameter) &&
        ['', 'identity'].includes(coding);
      assert.equal(
        isAccepted(() => checkContentType(request, 'application/json')),
        expected,
      );
    },
  ),
);

propertyTest(
  'a change is meant for the snapshot whose tag it carries, and for none with any other tag',
  fc.property(
    fc.oneof(
      fc.nat().map(formatEntityTag),
      fc.constantFrom('*', 'W/"1"', '"1", "2"', '1', '""', '"-1"', '"1"x'),
      fc.string(),
    ),
    (given) => {
      const basis = readBasis(requestWith({ 'if-match': given }), true);
      if (given === '*') assert.equal(basis, undefined);
      else assert.equal(basis, /^"\d{1,15}"$/.test(given) ? Number(given.slice(1, -1)) : -1);
    },
  ),
);

propertyTest(
  'an event stream goes on after the id that was sent, whatever it is',
  fc.property(fc.string(), (id) => {
    assert.equal(findLastEventId(requestWith({ 'last-event-id': id })), id === '' ? undefined : id);
  }),
);

const hop = fc.oneof(
  fc.constantFrom('10.0.0.1', '10.9.9.9', '192.0.2.7', '2001:db8::1', 'fd00::9'),
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom('unknown', '', '10.0.0.1:80', '[::1]'),
);

propertyTest(
  'the client is the last hop that no trusted proxy is, whatever stands before it',
  fc.property(
    hop.filter((address) => /^(?:[\d.]+|[\da-f:.]+)$/i.test(address) && !address.endsWith(':80')),
    fc.array(hop, { maxLength: 5 }),
    fc.array(hop, { maxLength: 3 }),
    (peer, hops, before) => {
      const trusted = createTrustedProxies(['10.0.0.0/8', 'fd00::/8']);
      const isTrusted = (address: string): boolean =>
        /^10\.\d+\.\d+\.\d+$/.test(address) || /^fd[\da-f]{2}:/i.test(address);
      const request = (list: readonly string[]): IncomingMessage => {
        const made = requestWith({ 'x-forwarded-for': list.join(', ') });
        Object.defineProperty(made.socket, 'remoteAddress', { value: peer });
        return made;
      };
      const found = findForwardedAddress(request(hops), trusted);
      // One after the other from the end, in words.
      let expected = peer;
      const left = [...hops];
      while (isTrusted(expected)) {
        // Proxies may add the port, and write an IPv6 address in brackets.
        const next = left
          .pop()
          ?.replace(/^(10\.0\.0\.1):80$/, '$1')
          .replace(/^\[(.*)\]$/, '$1');
        if (next === undefined || !/^(?:\d+\.){3}\d+$|^[\da-f:]*:[\da-f:.]*$/i.test(next)) break;
        expected = next;
      }
      const plain = (address: string): string => address.replace(/^::ffff:(?=.*\.)/, '');
      assert.equal(found, plain(expected));
      // What a client puts before its own address changes nothing.
      if (!isTrusted(found))
        assert.equal(
          findForwardedAddress(request([...before, ...hops]), trusted),
          hops.length === 0 && isTrusted(peer) ? findForwardedAddress(request(before), trusted) : found,
        );
    },
  ),
  3,
);

const querySchema = z.object({ a: z.string().optional(), b: z.string().optional() });

propertyTest(
  'a query has its parameters as they were encoded, each once',
  fc.property(
    fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.string({ unit: 'binary', maxLength: 6 })),
      { maxLength: 4 },
    ),
    (pairs) => {
      const clean = pairs.filter(([, value]) => value.isWellFormed());
      const url = `/x?${clean.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
      const known = clean.filter(([name]) => name === 'a' || name === 'b');
      const isDoubled = new Set(known.map(([name]) => name)).size < known.length;
      if (isDoubled) assert.throws(() => readQuery(requestWith({}, url), querySchema), InvalidRequest);
      else assert.deepEqual(readQuery(requestWith({}, url), querySchema), Object.fromEntries(known));
    },
  ),
  2,
);

const codeUnits = fc.array(
  fc.constantFrom(
    '\\u0000',
    '\\ud800',
    '\\uDFFF',
    '\\udc00',
    '\\uDBff',
    '\\u0041',
    '\\\\',
    '\\n',
    'a',
    'u0000',
    '\\"',
    '😀',
  ),
  { maxLength: 8 },
);

propertyTest(
  'escapes that stand for NUL or half a surrogate pair are found, and no others',
  fc.property(codeUnits, codeUnits, (name, value) => {
    const text = `{"${name.join('')}":["${value.join('')}"]}`;
    const parsed = JSON.parse(text) as Record<string, readonly string[]>;
    const texts = Object.entries(parsed).flatMap(([key, [one = '']]) => [key, one]);
    const expected = new Set<string>();
    if (texts.some((one) => one.includes('\0'))) expected.add('NUL');
    if (texts.some((one) => !one.isWellFormed())) expected.add('SURROGATE');
    assert.deepEqual(finish(findRefusedEscapes(Buffer.from(text))), expected);
  }),
  5,
);

propertyTest(
  'a JSON body is what JSON.parse makes of it, with every digit of its integers',
  fc.property(
    fc.jsonValue({ maxDepth: 3 }),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    (value, big) => {
      const text = `{"v":${JSON.stringify(value)},"big":${big}}`;
      const isRefused = finish(findRefusedEscapes(Buffer.from(text))).size > 0;
      if (isRefused) return assert.throws(() => finish(parseJson([Buffer.from(text)])), InvalidRequest);
      const parsed = finish(parseJson([Buffer.from(text)])) as { readonly v: unknown; readonly big: unknown };
      const isSafe = Number.isSafeInteger(Number(big));
      assert.equal(parsed.big, isSafe ? Number(big) : big);
      // A number that lost digits may have had them.
      const rounded: unknown = JSON.parse(
        JSON.stringify(parsed.v, (_key, one: unknown) => (typeof one === 'bigint' ? Number(one) : one)),
      );
      assert.deepEqual(rounded, JSON.parse(JSON.stringify(value)));
    },
  ),
  2,
);
