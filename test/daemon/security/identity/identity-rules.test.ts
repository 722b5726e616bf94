import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isIdentityName, isPermissionName } from '../../../../daemon/security/identity/identity-rules.ts';

test('isIdentityName accepts 3 to 255 characters', () => {
  assert.deepEqual(['ab', 'abc', 'ü'.repeat(255), '😀'.repeat(255), 'a'.repeat(256)].map(isIdentityName), [
    false,
    true,
    true,
    true,
    false,
  ]);
});

test('isIdentityName refuses control characters, white space at the ends and malformed text', () => {
  for (const name of ['a\u0000bc', 'abc\n', 'ab\u0085c', ' abc', 'abc ', '\u00a0abc', 'ab\ud800']) {
    assert.equal(isIdentityName(name), false, JSON.stringify(name));
  }
});

test('isIdentityName refuses characters that are not seen', () => {
  const hidden = {
    'zero-width space': '\u200b',
    'zero-width joiner': '\u200d',
    'soft hyphen': '\u00ad',
    'byte order mark': '\ufeff',
    'right-to-left override': '\u202e',
    'right-to-left isolate': '\u2067',
    'right-to-left mark': '\u200f',
    'tag A': '\u{e0041}',
    'private use': '\ue000',
    'private use of plane 16': '\u{100000}',
    unassigned: '\u0378',
    noncharacter: '\uffff',
    'line separator': '\u2028',
    'paragraph separator': '\u2029',
    'half of a surrogate pair': '\udc00',
    'variation selector': '\ufe0f',
    'Hangul filler': '\u3164',
  };
  for (const [what, character] of Object.entries(hidden)) {
    assert.equal(isIdentityName(`sca${character}da`), false, what);
  }
});

test('isIdentityName accepts white space inside, dots, at signs and prototype keys', () => {
  for (const name of ['shift lead', 'a.b@plant', '__proto__', 'Müller']) {
    assert.equal(isIdentityName(name), true, name);
  }
});

test('isPermissionName accepts rest.<role> only', () => {
  assert.ok(['rest.assets', 'rest.network.configuration', 'rest.a-b_c'].every(isPermissionName));
  const wrong = ['assets', 'rest.', 'rest', 'REST.assets', 'rest.a b', 'rest..a', 'rest.a\n', 'rest.*'];
  assert.deepEqual(wrong.filter(isPermissionName), []);
});
