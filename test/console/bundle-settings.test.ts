import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listBundleFields, mergeTexts } from '../../daemon/console/forms/bundle-settings.ts';
import type { Schema } from '../../daemon/console/forms/schema.ts';
import { describeDocument } from '../../daemon/configuration/document-schema.ts';
import { z } from '../../daemon/base/schema.ts';

const SENDER = {
  name: 'org.example.sender',
  settingsSchema: z.strictObject({
    url: z.string(),
    key: z.string().meta({ writeOnly: true }).optional(),
    limit: z.int().default(10),
    topics: z.array(z.string()).optional(),
  }),
};
const schema = describeDocument([], [SENDER]) as Schema;
const fields = listBundleFields(schema, SENDER.name) ?? assert.fail('it is installed');

test('the form of a bundle has its plain settings, in the order of its schema', () => {
  assert.deepEqual(
    fields.map(({ name, isRequired }) => [name, isRequired]),
    [
      ['url', true],
      ['key', false],
      ['limit', false],
    ],
  );
  assert.equal(listBundleFields(schema, 'org.example.other'), undefined);
});

test('what the form does not show stays, and an emptied field gets its default', () => {
  const settings = { url: 'http://a', key: { isSet: true }, limit: 5, topics: ['a'] };
  assert.deepEqual(mergeTexts(fields, settings, { url: 'http://b', limit: '' }), {
    url: 'http://b',
    key: { isSet: true },
    topics: ['a'],
  });
  assert.deepEqual(mergeTexts(fields, settings, { url: 'http://a', key: 'new', limit: '7' }), {
    url: 'http://a',
    key: 'new',
    limit: 7,
    topics: ['a'],
  });
});
