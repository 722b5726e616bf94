import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeDocument } from '../../daemon/configuration/document-schema.ts';
import { columnsOf } from '../../daemon/console/forms/channels/channel-schema.ts';
import type { Schema } from '../../daemon/console/forms/schema.ts';
import { FIELD_NAMES } from '../../daemon/console/text/channels.ts';
import { createDriverFactories } from '../../drivers/index.ts';

const WHOLE = describeDocument(createDriverFactories()) as Schema;

for (const type of ['modbus', 'opcua', 'serial']) {
  test(`every field of a channel of ${type} has a name in words`, () => {
    const keys = columnsOf(WHOLE, type).map(({ key }) => key);
    assert.ok(keys.length > 20);
    assert.deepEqual(
      keys.filter((key) => FIELD_NAMES[key] === undefined),
      [],
    );
  });
}
