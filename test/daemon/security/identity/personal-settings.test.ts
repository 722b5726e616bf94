import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore } from '../../../../daemon/base/store/store.ts';
import {
  PersonalSettings,
  personalSettingsMigrations,
} from '../../../../daemon/security/identity/personal-settings.ts';
import {
  SqliteIdentityStore,
  identityMigrations,
} from '../../../../daemon/security/identity/sqlite-identity-store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const operator = { name: 'operator', permissions: [], passwordChangeNeeded: false };

function createSettings() {
  const store = openStore(':memory:', [identityMigrations, personalSettingsMigrations]);
  const identities = new SqliteIdentityStore(store, new ManualClock());
  return { store, identities, settings: new PersonalSettings({ store, identities }) };
}

test('PersonalSettings returns the text that an identity stored last, and none of others', () => {
  const { identities, settings } = createSettings();
  const [one, other] = [identities.create(operator), identities.create({ ...operator, name: 'deputy' })];
  assert.equal(settings.find(one), undefined);
  settings.put(one, '{"zone":"UTC"}');
  settings.put(one, '{"zone":"LOCAL"}');
  assert.equal(settings.find(one), '{"zone":"LOCAL"}');
  assert.equal(settings.find(other), undefined);
});

test('PersonalSettings end with their identity: the next one of its name has none', () => {
  const { store, identities, settings } = createSettings();
  settings.put(identities.create(operator), '{}');
  identities.remove('operator');
  assert.equal(settings.find(identities.create(operator)), undefined);
  assert.equal(store.database.prepare('SELECT count(*) AS count FROM personal_settings').get()?.['count'], 0);
});

test('PersonalSettings refuses the settings of an identity that is not stored any more, and of none that was', () => {
  const { identities, settings } = createSettings();
  const former = identities.create(operator);
  identities.remove('operator');
  identities.create(operator);
  const refused = { code: 'SETTINGS_WITHOUT_IDENTITY' };
  assert.throws(() => settings.put(former, '{}'), refused);
  assert.throws(() => settings.put({ id: 'local', name: 'root' }, '{}'), refused);
});
