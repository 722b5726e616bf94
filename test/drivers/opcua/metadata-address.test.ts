import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadLibrary } from '../../../drivers/opcua/session/opcua-library.ts';
import { OpcuaTransport } from '../../../drivers/opcua/transport/opcua-transport.ts';

const library = await loadLibrary();

test('no server is looked for at a metadata service, however its address is written', async () => {
  for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '0xa9fea9fe', '2852039166']) {
    const transport = new OpcuaTransport(library);
    const error = await new Promise<Error | null | undefined>((resolve) => {
      transport.connect(`opc.tcp://${host}:4840`, resolve);
    });
    assert.match(error?.message ?? '', /ADDRESS_REFUSED/, host);
  }
});
