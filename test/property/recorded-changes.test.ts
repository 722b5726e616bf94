import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { finish } from '../../daemon/base/slices.ts';
import { toAuditEvent } from '../../daemon/security/audit/audit-event.ts';
import { describeChanges } from '../../daemon/security/audit/change-detail.ts';
import { describeDocument } from '../../daemon/configuration/document-schema.ts';
import type { ManagedDocument } from '../../daemon/configuration/managed-document.ts';
import { recordChanges } from '../../daemon/configuration/store/recorded-changes.ts';
import { createDriverFactories } from '../../drivers/index.ts';
import { propertyTest } from './property-test.ts';

const schema = describeDocument(createDriverFactories());

// No key and no other text has it.
const CANARY = 'canary';
const plain = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.stringMatching(/^[a-b/@:. -]{0,12}$/),
);
const padding = fc.stringMatching(/^[ -~]{0,12}$/);
const credential = fc
  .tuple(padding, fc.stringMatching(/^[A-Za-z0-9:/?#._~!$&()*+,;=%-]{0,8}$/), fc.nat(5))
  .map(([around, inside, form]) => {
    const secret = `${inside}${CANARY}${inside}`;
    const text = [
      `opc.tcp://user:${secret}@host/`,
      `https://${secret}@host:8443/path`,
      `https://host/path?access_token=${CANARY}`,
      `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
      `-----BEGIN RSA PRIVATE KEY-----\n${secret}`,
      `eyJhbGciOiJIUzI1NiJ9.${CANARY}.${CANARY}`,
    ][form];
    return `${around}${text}`;
  });
const secretName = fc.constantFrom('password', 'privateKey', 'apiKey', 'clientSecret', 'passphrase', 'token');
const secretField = fc.tuple(secretName, fc.string()).map(([name, text]) => ({ [name]: `${text}${CANARY}` }));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    plain,
    credential,
    secretField,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('host', 'a', 'name', 'pid', 'channels', 'url'), tie('value'), {
      maxKeys: 4,
    }),
  ),
}));
const opcua = fc.record({
  pid: fc.constantFrom('a', 'b'),
  type: fc.constantFrom('opcua', 'modbus-tcp', 'gone'),
  authentication: fc.constant({ type: 'PASSWORD', userName: 'u', password: CANARY }),
  endpointUrl: credential,
  more: value,
});
const document = fc.record({
  rest: value,
  tokenIssuingServices: value,
  drivers: fc.array(opcua, { maxLength: 3 }),
  assets: fc.array(value, { maxLength: 3 }),
}) as fc.Arbitrary<ManagedDocument>;

propertyTest(
  'no secret of any two documents is in the audit events of the change between them',
  fc.property(document, document, (before, after) => {
    for (const detail of describeChanges({ snapshot: 1 }, finish(recordChanges(schema, before, after)))) {
      const event = toAuditEvent({ event: 'CONFIGURATION_CHANGED', outcome: 'SUCCESS', detail }, 0);
      assert.ok(!JSON.stringify(event).includes(CANARY), JSON.stringify(event));
    }
  }),
);
