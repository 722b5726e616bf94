import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../../../../daemon/base/random.ts';
import { SecretKey, UnreadableSecret } from '../../../../../daemon/base/key/secret-key.ts';
import { openStore } from '../../../../../daemon/base/store/store.ts';
import { digestRecoveryCode } from '../../../../../daemon/security/identity/second-factor/recovery-code.ts';
import { SecondFactorCheck } from '../../../../../daemon/security/identity/second-factor/second-factor-check.ts';
import {
  identityMigrations,
  SqliteIdentityStore,
} from '../../../../../daemon/security/identity/sqlite-identity-store.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';

const SECRET = Uint8Array.from(Buffer.from('canary-of-the-factor'));
const CODE = 'ABCD-EFGH-JKMN-PQRS';

function setUp() {
  const store = openStore(':memory:', [identityMigrations]);
  const clock = new ManualClock();
  const open = (byte?: number) => {
    const key = byte === undefined ? undefined : new SecretKey(Buffer.alloc(32, byte));
    return new SqliteIdentityStore(store, clock, systemRandom, key);
  };
  const identity = { name: 'scada', permissions: [], passwordHash: 'h', passwordChangeNeeded: false };
  const { id } = open().create(identity);
  const readColumn = (): string =>
    Buffer.from(
      store.database.prepare('SELECT secret FROM second_factor').get()?.['secret'] as Uint8Array,
    ).toString('latin1');
  const digest = digestRecoveryCode(id, CODE) ?? assert.fail('no recovery code');
  return {
    store,
    clock,
    open,
    readColumn,
    factor: { secret: SECRET, usedSteps: [], recoveryDigests: [digest] },
  };
}

test('the secret of a second factor is encrypted, for its identity alone', () => {
  const { store, open, readColumn, factor } = setUp();
  open(1).setSecondFactor('scada', factor);
  assert.ok(!readColumn().includes('canary'));
  assert.deepEqual(open(1).findSecondFactor('scada'), factor);
  const other = open(1).create({
    name: 'other',
    permissions: [],
    passwordHash: 'h',
    passwordChangeNeeded: false,
  });
  store.database.exec(`UPDATE second_factor SET identity_id = '${other.id}'`);
  assert.ok(open(1).findSecondFactor('other')?.secret instanceof UnreadableSecret);
});

test('what was stored in clear text is encrypted, once', () => {
  const { open, readColumn, factor } = setUp();
  open().setSecondFactor('scada', factor);
  assert.ok(readColumn().includes('canary'));
  const identities = open(1);
  assert.deepEqual(identities.findSecondFactor('scada'), factor);
  assert.deepEqual([identities.sealSecrets(), identities.sealSecrets()], [1, 0]);
  assert.ok(!readColumn().includes('canary'));
  assert.deepEqual(open(1).findSecondFactor('scada'), factor);
});

test('without the key no code of the app is right, a recovery code is, and the secret stays for the key', () => {
  const { store, open, clock, factor } = setUp();
  open(1).setSecondFactor('scada', factor);
  const identities = open(2);
  const logger = createMemoryLogger();
  const factors = new SecondFactorCheck({ store, identities, clock, logger });
  assert.equal(factors.claim(identities.get('scada'), '123456'), undefined);
  assert.equal(logger.lines[0]?.event, 'login.secondFactorNotDecrypted');
  assert.equal(factors.claim(identities.get('scada'), CODE), 'RECOVERY_CODE');
  assert.deepEqual(open(1).findSecondFactor('scada')?.secret, SECRET);
});
