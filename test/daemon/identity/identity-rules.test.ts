import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  checkPasswordStrength,
  isIdentityName,
  isPermissionName,
} from '../../../daemon/identity/identity-rules.ts';
import { passwordStrengthSchema } from '../../../daemon/settings/rest-settings.ts';

const lax = passwordStrengthSchema.parse({ minimumLength: 1 });

function codesOf(password: string, changes: object = {}): readonly string[] {
  return checkPasswordStrength(password, { ...lax, ...changes }).map(({ code }) => code);
}

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

test('checkPasswordStrength counts code points', () => {
  assert.deepEqual(codesOf('😀😀😀😀', { minimumLength: 4 }), []);
  assert.deepEqual(codesOf('😀😀😀', { minimumLength: 4 }), ['PASSWORD_TOO_SHORT']);
});

test('checkPasswordStrength refuses more than 255 characters', () => {
  assert.deepEqual(codesOf('😀'.repeat(255)), []);
  assert.deepEqual(codesOf('a'.repeat(256)), ['PASSWORD_TOO_LONG']);
  assert.deepEqual(codesOf('a'.repeat(90_000)), ['PASSWORD_TOO_LONG']);
});

test('checkPasswordStrength lists every broken rule in the order of the settings', () => {
  const all = {
    minimumLength: 8,
    requireDigits: true,
    requireSpecialCharacters: true,
    requireBothCases: true,
  };
  assert.deepEqual(codesOf('abc', all), [
    'PASSWORD_TOO_SHORT',
    'PASSWORD_WITHOUT_DIGIT',
    'PASSWORD_WITHOUT_SPECIAL_CHARACTER',
    'PASSWORD_WITHOUT_BOTH_CASES',
  ]);
  assert.deepEqual(codesOf('Abcdef1!', all), []);
});

test('checkPasswordStrength knows letters and digits of every script', () => {
  assert.deepEqual(codesOf('Пароль', { requireBothCases: true }), []);
  assert.deepEqual(codesOf('٣', { requireDigits: true }), []);
  assert.deepEqual(codesOf('Größe1', { requireSpecialCharacters: true }), [
    'PASSWORD_WITHOUT_SPECIAL_CHARACTER',
  ]);
});

test('checkPasswordStrength refuses control characters, and nothing else that is not seen', () => {
  for (const character of ['\0', '\t', '\n', '\u001b', '\u007f', '\u0085']) {
    assert.deepEqual(codesOf(`abcdefgh${character}`), ['PASSWORD_WITH_CONTROL_CHARACTER']);
  }
  assert.deepEqual(codesOf('abcdefgh\u200d\u202e'), []);
});

test('checkPasswordStrength refuses text without a UTF-8 form', () => {
  assert.deepEqual(codesOf('abcdefgh\ud800'), ['PASSWORD_NOT_TEXT']);
});
