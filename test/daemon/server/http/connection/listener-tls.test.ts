import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';

import { toSecureContextOptions } from '../../../../../daemon/server/http/connection/listener-tls.ts';
import { getServerCertificate } from '../../../../support/certificate-authority.ts';

test('a listener accepts the groups of the intermediate configuration of Mozilla, and no others', async (t) => {
  const { certificate, privateKey } = await getServerCertificate();
  const options = toSecureContextOptions({
    certificate,
    privateKey,
    clientCertificateAuthorities: [],
    certificateRevocationLists: [],
  });
  const server = createServer(options, (socket) => socket.end());
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  /** Returns the group of the handshake for a list of offered ones; undefined: no handshake. */
  const negotiate = async (ecdhCurve: string, maxVersion: 'TLSv1.2' | 'TLSv1.3') => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ecdhCurve, maxVersion });
    try {
      await once(socket, 'secureConnect');
      return socket.getEphemeralKeyInfo();
    } catch {
      return undefined;
    } finally {
      socket.destroy();
    }
  };
  // Only TLS 1.3 has the hybrid one.
  for (const group of ['X25519MLKEM768', 'X25519', 'P-256', 'P-384']) {
    assert.ok((await negotiate(group, 'TLSv1.3')) !== undefined, group);
  }
  for (const group of ['P-521', 'X448']) {
    assert.equal(await negotiate(group, 'TLSv1.3'), undefined, group);
    // A client of TLS 1.2 has to offer the curve of the certificate as well.
    const { name } = Object(await negotiate(`${group}:P-256`, 'TLSv1.2')) as { name?: string };
    assert.equal(name, 'prime256v1', group);
  }
});
