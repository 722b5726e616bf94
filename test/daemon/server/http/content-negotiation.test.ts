import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkAccept, checkContentType } from '../../../../daemon/server/http/content-negotiation.ts';
import { HttpRefusal } from '../../../../daemon/server/http/problem.ts';
import { createRequest } from './request-fixture.ts';

function statusOf(check: () => void): number | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof HttpRefusal);
    return error.status;
  }
}

const accepts = (accept: string | undefined): boolean =>
  statusOf(() => checkAccept(createRequest({ accept }), 'application/json')) === undefined;

const refusalOfType = (contentType: string | undefined, coding?: string): number | undefined =>
  statusOf(() =>
    checkContentType(
      createRequest({ 'content-type': contentType, 'content-encoding': coding }),
      'application/json',
    ),
  );

test('checkAccept accepts the type itself, wildcards, lists and a missing field', () => {
  const good = [
    undefined,
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'text/html, application/json',
    'text/html;q=0.9,*/*;q=0.1',
    'application/json;q=0.001',
    'application/json ; charset=utf-8 ; q=1',
    'application/json;q=0.5, */*;q=0',
  ];
  for (const accept of good) assert.ok(accepts(accept), accept);
});

test('checkAccept refuses other types, and types excluded by weight 0', () => {
  const bad = [
    'text/html',
    'text/*',
    'application/xml, text/plain',
    'application/json;q=0',
    'application/json; Q=0.000',
    'application/json;q=0, */*',
    'application/*;q=0, */*;q=1',
    '*/*;q=0',
    'application/jsonp',
    'application',
    '*',
  ];
  for (const accept of bad) assert.ok(!accepts(accept), accept);
});

test('checkAccept refuses with 406', () => {
  assert.equal(
    statusOf(() => checkAccept(createRequest({ accept: 'text/html' }), 'application/json')),
    406,
  );
});

test('checkContentType accepts JSON in UTF-8 in any spelling', () => {
  const good = [
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json ; Charset=us-ascii',
    'application/json; profile=x; charset=utf-8',
  ];
  for (const type of good) assert.equal(refusalOfType(type), undefined, type);
});

test('checkContentType refuses other types and other character sets with 415', () => {
  const bad = [
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/jsonp',
    'application/problem+json',
    'application/json, text/plain',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'text/plain; application/json',
  ];
  for (const type of bad) assert.equal(refusalOfType(type), 415, type);
});

test('checkContentType refuses content codings with 415, except identity', () => {
  for (const coding of ['gzip', 'br', 'identity, gzip', 'deflate', '']) {
    assert.equal(refusalOfType('application/json', coding), 415, coding);
  }
  assert.equal(refusalOfType('application/json', 'Identity'), undefined);
});
