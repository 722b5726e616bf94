import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createCertificateProvider } from '../../../../../daemon/security/identity/provider/certificate-provider.ts';
import { createIdentityFixture } from '../identity-fixture.ts';

function setUp() {
  const fixture = createIdentityFixture();
  const identity = fixture.identities.create({
    name: 'scada',
    permissions: [],
    passwordChangeNeeded: true,
  });
  const provider = createCertificateProvider(fixture);
  fixture.set({ statelessCertificateAuthenticationEnabled: true });
  const present = (certificateCommonNames?: readonly string[]) =>
    provider.authenticate({
      remoteAddress: '192.0.2.1',
      certificateCommonNames,
      isXsrfExempt: false,
      header: () => undefined,
      isOpenToLockedSessions: false,
    });
  return { ...fixture, identity, present };
}

test('a certificate proves the identity of its common name, whatever its password', () => {
  const { identity, present } = setUp();
  assert.deepEqual(present(['scada']), { identity, method: 'certificate' });
});

test('no, unknown, empty, doubled and similar common names prove nothing', () => {
  const { present } = setUp();
  const others = [undefined, [], [''], ['nobody'], ['scada', 'scada'], ['scada', 'x'], ['Scada']];
  const similar = [['scada\u0000'], ['scada,CN=x'], ['ѕcada'], ['__proto__'], [' scada']];
  for (const names of [...others, ...similar]) assert.equal(present(names), undefined, JSON.stringify(names));
});

test('certificates without session are off by default and are accepted only with both settings', () => {
  const { present, set } = setUp();
  set({ statelessCertificateAuthenticationEnabled: false });
  assert.equal(present(['scada']), undefined);
  set({ statelessCertificateAuthenticationEnabled: true, certificateAuthenticationEnabled: false });
  assert.equal(present(['scada']), undefined);
  assert.equal(createIdentityFixture().rest().statelessCertificateAuthenticationEnabled, false);
});

test('an identity that is deleted is refused at the next request', () => {
  const { present, identities } = setUp();
  identities.remove('scada');
  assert.equal(present(['scada']), undefined);
});
