import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeDocument } from '../../../daemon/configuration/document-schema.ts';
import { listBundleWarnings } from '../../../daemon/configuration/bundle-section.ts';
import { checkDocument } from '../../../daemon/configuration/managed-document.ts';
import { finish } from '../../../daemon/base/slices.ts';
import { hideSecrets } from '../../../daemon/configuration/store/secrets.ts';
import { restoreSecrets } from '../../../daemon/configuration/store/secret-target.ts';
import { z } from '../../../daemon/base/schema.ts';
import { UnreadableSecret } from '../../../daemon/base/key/secret-key.ts';

const SENDER = {
  name: 'org.example.sender',
  settingsSchema: z.strictObject({
    url: z.string().meta({ 'x-target': true }),
    key: z.string().meta({ writeOnly: true }).optional(),
    limit: z.int().max(100).default(10),
  }),
};
const bundles = [SENDER];
const documentOf = (settings: Record<string, unknown>, pid = SENDER.name) => ({
  bundles: [{ pid, settings }],
});

test('the settings of an installed bundle are checked, with their defaults', () => {
  const checked = finish(checkDocument([], documentOf({ url: 'http://a' }), { bundles }));
  assert.deepEqual(checked.value?.bundles, [{ pid: SENDER.name, settings: { url: 'http://a', limit: 10 } }]);
  const { faults } = finish(checkDocument([], documentOf({ url: 'http://a', limit: 101 }), { bundles }));
  assert.deepEqual(
    faults?.map(({ path }) => path),
    [['bundles', 0, 'settings', 'limit']],
  );
});

test('a document may be applied before the package: the settings of other bundles are a warning', () => {
  const { value } = finish(checkDocument([], documentOf({ anything: 1 }, 'org.example.later'), { bundles }));
  const items = value?.bundles ?? assert.fail('it is valid');
  assert.deepEqual(items, [{ pid: 'org.example.later', settings: { anything: 1 } }]);
  const [warning, ...others] = listBundleWarnings(bundles, items);
  assert.equal(
    warning?.message,
    'no bundle "org.example.later" with settings is installed; its settings are not checked',
  );
  assert.deepEqual([warning?.code, others], ['BUNDLE_UNCHECKED', []]);
});

test('a bundle is named once', () => {
  const item = { pid: SENDER.name, settings: { url: 'http://a' } };
  const { faults } = finish(checkDocument([], { bundles: [item, item] }, { bundles }));
  assert.deepEqual(
    faults?.map(({ path }) => path),
    [['bundles', 1, 'pid']],
  );
});

test('secrets of a bundle are hidden, and kept unless its target changes', () => {
  const former = documentOf({ url: 'http://a', key: 'secret' });
  const shown = hideSecrets(describeDocument([], bundles), former);
  assert.deepEqual(shown, documentOf({ url: 'http://a', key: { isSet: true } }));
  const kept = finish(
    restoreSecrets({
      factories: [],
      bundles,
      document: documentOf({ url: 'http://a', key: { isSet: true }, limit: 5 }),
      former,
    }),
  );
  assert.deepEqual(kept, { document: documentOf({ url: 'http://a', key: 'secret', limit: 5 }), faults: [] });
  const moved = finish(
    restoreSecrets({
      factories: [],
      bundles,
      document: documentOf({ url: 'http://b', key: { isSet: true } }),
      former,
    }),
  );
  assert.deepEqual(
    moved.faults.map(({ path }) => path),
    [['bundles', 0, 'settings', 'key']],
  );
});

test('a secret that cannot be read is a warning, and stops nothing else', () => {
  const document = documentOf({ url: 'http://a', key: new UnreadableSecret('record') });
  const { value } = finish(checkDocument([], document, { bundles }));
  const [warning, ...others] = listBundleWarnings(bundles, value?.bundles ?? []);
  assert.equal(
    warning?.message,
    'bundle "org.example.sender": the secret key cannot be read; enter it again',
  );
  assert.deepEqual([warning?.code, others], ['BUNDLE_SECRET_UNREADABLE', []]);
});
