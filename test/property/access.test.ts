import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { mayUse } from '../../daemon/server/http/access-policy.ts';
import type { Access } from '../../daemon/interface/endpoint.ts';
import { refuseBeyondOwn } from '../../daemon/security/identity/granting-rules.ts';
import { isLimitedToAssets, isPermitted } from '../../daemon/security/identity/permission.ts';
import type { Identity, Principal } from '../../daemon/security/identity/identity.ts';
import { NotPermitted } from '../../daemon/base/errors.ts';
import { propertyTest } from './property-test.ts';

const permission = fc.constantFrom<string>(
  'rest.admin',
  'rest.assets',
  'rest.assets.read',
  'rest.identity',
  'rest.configuration',
  'rest.',
  'rest.Assets',
  'kura.admin',
);
const permissions = fc.uniqueArray(permission, { maxLength: 4 });

/** The permissions that are as good as a permission. */
const implying = (wanted: string): readonly string[] => [
  wanted,
  'rest.admin',
  ...(wanted === 'rest.assets.read' ? ['rest.assets'] : []),
];

const identityWith = (list: readonly string[]): Identity => ({ permissions: list }) as Identity;
const principalWith = (list: readonly string[]): Principal => ({ identity: identityWith(list) }) as Principal;

propertyTest(
  'an endpoint is used by those who have its permission or administer, and by nobody through a word that is no permission',
  fc.property(
    permissions,
    fc.boolean(),
    fc.oneof(permission, fc.constantFrom('PUBLIC', 'ANY_IDENTITY', '', 'rest', 'ANY')),
    (own, isKnown, access) => {
      const may = mayUse(isKnown ? principalWith(own) : undefined, access as Access);
      if (access === 'PUBLIC') return assert.ok(may);
      if (!isKnown) return assert.ok(!may);
      if (access === 'ANY_IDENTITY') return assert.ok(may);
      const isPermission = access.startsWith('rest.') && access.length > 'rest.'.length;
      assert.equal(may, isPermission && implying(access).some((one) => own.includes(one)));
    },
  ),
  5,
);

propertyTest(
  'more permissions never take anything away',
  fc.property(permissions, permissions, permission, (own, more, wanted) => {
    const before = isPermitted(identityWith(own), wanted);
    const after = isPermitted(identityWith([...more, ...own]), wanted);
    assert.ok(after || !before);
  }),
);

propertyTest(
  'what an identity grants is never more than it has',
  fc.property(permissions, permissions, permission, (own, granted, wanted) => {
    try {
      refuseBeyondOwn(granted, identityWith(own));
    } catch (error) {
      assert.ok(error instanceof NotPermitted);
      assert.ok(granted.some((one) => !implying(one).some((other) => own.includes(other))));
      return;
    }
    assert.ok(!isPermitted(identityWith(granted), wanted) || isPermitted(identityWith(own), wanted));
  }),
  2,
);

propertyTest(
  'an identity is limited to assets when nothing else is permitted to it',
  fc.property(permissions, (own) => {
    const others = new Set([
      'rest.admin',
      'rest.identity',
      'rest.configuration',
      'rest.',
      'rest.Assets',
      'kura.admin',
    ]);
    assert.equal(
      isLimitedToAssets(identityWith(own)),
      own.every((one) => !others.has(one)),
    );
  }),
);
