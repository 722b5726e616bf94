import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  findSessionCookie,
  formatExpiredCookie,
  formatSessionCookie,
} from '../../../../daemon/server/http/cookie.ts';

test('findSessionCookie finds the session among other cookies', () => {
  for (const header of [
    'JSESSIONID=abc',
    'a=1; JSESSIONID=abc',
    'JSESSIONID=abc; b=2',
    ' a=1;JSESSIONID=abc ;b=2',
  ]) {
    assert.equal(findSessionCookie(header), 'abc', header);
  }
});

test('findSessionCookie returns undefined when the cookie occurs more than once', () => {
  for (const header of [
    'JSESSIONID=abc; JSESSIONID=def',
    'JSESSIONID=abc; a=1; JSESSIONID=abc',
    'JSESSIONID=a;JSESSIONID=',
  ]) {
    assert.equal(findSessionCookie(header), undefined, header);
  }
});

test('findSessionCookie ignores cookies of similar names', () => {
  const others = [
    'XJSESSIONID=abc',
    'JSESSIONIDX=abc',
    '__Host-JSESSIONID=abc',
    'jsessionid=abc',
    'JSESSIONID =abc',
  ];
  for (const header of [...others, 'a=JSESSIONID=abc', 'JSESSIONID', 'a=1; JSESSIONID', '', undefined]) {
    assert.equal(findSessionCookie(header), undefined, header);
  }
  assert.equal(findSessionCookie('XJSESSIONID=abc; JSESSIONID=def; JSESSIONID2=ghi'), 'def');
});

test('findSessionCookie refuses invalid cookie values', () => {
  for (const value of ['', '"abc"', 'a b', 'a,b', 'a\\b', 'ä', 'a\u0000', 'x'.repeat(257)]) {
    assert.equal(findSessionCookie(`JSESSIONID=${value}`), undefined, value);
  }
  assert.equal(findSessionCookie('JSESSIONID=a=b'), 'a=b');
});

test('findSessionCookie returns undefined for 300 session cookies', () => {
  assert.equal(
    findSessionCookie(Array.from({ length: 300 }, (_, n) => `JSESSIONID=${n}`).join('; ')),
    undefined,
  );
});

test('formatSessionCookie writes a host-only cookie with HttpOnly and SameSite, and with Secure on TLS', () => {
  assert.equal(formatSessionCookie('abc', true), 'JSESSIONID=abc; Path=/; HttpOnly; SameSite=Strict; Secure');
  assert.equal(formatSessionCookie('abc', false), 'JSESSIONID=abc; Path=/; HttpOnly; SameSite=Strict');
});

test('formatExpiredCookie deletes that same cookie', () => {
  assert.equal(
    formatExpiredCookie(true),
    'JSESSIONID=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
  );
  assert.equal(formatExpiredCookie(false), 'JSESSIONID=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict');
});
