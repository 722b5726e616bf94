import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toSafeText } from '../../../../daemon/security/audit/safe-text.ts';

test('toSafeText leaves ordinary text of any language as it is', () => {
  for (const text of ['scada', 'Kesselhaus Süd', 'ボイラー', 'DOMAIN\\operator', 'a "quoted" name', '𝔘']) {
    assert.equal(toSafeText(text, 100), text);
  }
});

test('toSafeText escapes whatever breaks a line, moves the cursor, reverses text or is invisible', () => {
  const unsafe = {
    'carriage return': '\r',
    'line feed': '\n',
    escape: '\u001b',
    nul: '\0',
    delete: '\u007f',
    'C1 control': '\u009b',
    'right-to-left override': '\u202e',
    'left-to-right isolate': '\u2066',
    'line separator': '\u2028',
    'zero width space': '\u200b',
    'byte order mark': '\ufeff',
    'Hangul filler': '\u3164',
    'lone surrogate': '\ud800',
  };
  for (const [name, character] of Object.entries(unsafe)) {
    const escape = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    assert.equal(toSafeText(`a${character}b`, 100), `a${escape}b`, name);
  }
});

test('toSafeText escapes both code units of an invisible character beyond the basic plane', () => {
  assert.equal(toSafeText('\u{e0041}', 100), '\\udb40\\udc41');
});

test('toSafeText keeps text distinct from its own escapes', () => {
  assert.equal(toSafeText('\\u000a', 100), '\\u005cu000a');
  assert.notEqual(toSafeText('\\u000a', 100), toSafeText('\n', 100));
});

test('toSafeText cuts long text and marks the cut', () => {
  assert.equal(toSafeText('x'.repeat(10), 10), 'x'.repeat(10));
  assert.equal(toSafeText('x'.repeat(11), 10), `${'x'.repeat(9)}…`);
  assert.equal(toSafeText('\n'.repeat(10), 10), '\\u000a\\u0…');
});

test('toSafeText leaves no half of a character at the cut', () => {
  assert.ok(toSafeText('𝔘'.repeat(10), 4).isWellFormed());
});

test('toSafeText bounds a text of a megabyte', () => {
  assert.equal(toSafeText('\u202e'.repeat(1_000_000), 64).length, 64);
});
