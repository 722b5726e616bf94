import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkReadable, listUnreadable } from '../../../../daemon/plant/asset/unreadable-secrets.ts';
import { check, z } from '../../../../daemon/base/schema.ts';
import { UnreadableSecret } from '../../../../daemon/base/key/secret-key.ts';

const schema = z.strictObject({
  port: z.int().default(502),
  pin: z.string().max(4).optional(),
  login: z.strictObject({ password: z.string() }).optional(),
});
const checkAll = (value: unknown) => check(schema, value);
const GONE = new UnreadableSecret('1.0.0');

test('a part without unreadable secrets is checked as it is', () => {
  assert.deepEqual(checkReadable(checkAll, { port: 1 }), { checked: { value: { port: 1 } }, unreadable: [] });
  assert.equal(checkReadable(checkAll, { port: 'x' }).checked.faults?.length, 1);
});

test('an unreadable secret is named, and is not wrong, even where nothing can stand for it', () => {
  const inside = checkReadable(checkAll, { login: { password: GONE } });
  assert.deepEqual(inside.unreadable, ['login.password']);
  assert.equal(inside.checked.value?.port, 502);
  assert.equal(checkReadable(checkAll, { pin: GONE }).checked.faults, undefined);
});

test('what else is wrong beside an unreadable secret is told', () => {
  const { checked } = checkReadable(checkAll, { pin: GONE, port: 'x' });
  assert.deepEqual(
    checked.faults?.map(({ path }) => path),
    [['port']],
  );
});

test('the drivers with unreadable secrets are told in words', () => {
  const head = { type: 'bench', callDeadlineMs: 1, settings: {} };
  const drivers = [
    { pid: 'a', ...head },
    { pid: 'b', ...head, unreadableSecrets: ['password', 'token'] },
  ];
  assert.deepEqual(listUnreadable({ drivers }), [
    {
      code: 'DRIVER_SECRETS_UNREADABLE',
      message: 'driver b: the password and token cannot be decrypted; set it again',
      parameters: { driver: 'b', secrets: ['password', 'token'] },
    },
  ]);
});
