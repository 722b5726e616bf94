import { after, beforeEach } from 'node:test';
import type { TestContext } from 'node:test';

import type { Channel } from '../../daemon/channel/channel.ts';
import type { OpcuaAddress } from '../../drivers/opcua/opcua-address.ts';
import { ManualClock } from './manual-clock.ts';
import { createOpcuaChannel } from './opcua-driver-under-test.ts';
import { connectOverCable, connectWriter } from './opcua-on-cable.ts';
import type { CabledDriver } from './opcua-on-cable.ts';
import { startOpcuaServer } from './opcua-server.ts';
import type { OpcuaServer } from './opcua-server.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

/** A driver over a cable, with a second connection that writes. */
interface WrittenDriver extends Omit<CabledDriver, 'read'> {
  readonly clock: ManualClock;
  /** Reads a channel: the server has answered all earlier requests then. */
  readonly read: () => Promise<unknown>;
  readonly write: (value: number) => Promise<void>;
}

interface SharedOpcuaServer {
  readonly server: OpcuaServer;
  readonly dataDirectory: string;
  /**
   * Connects a driver, whose subscribers request an interval of 50 ms unless they have one of their own.
   *
   * @param written channel that `write` writes
   */
  readonly lay: (t: TestContext, written: Channel<OpcuaAddress>) => Promise<WrittenDriver>;
}

const INTERVAL_MS = 50;
const READ = createOpcuaChannel('writable.int16', 'INTEGER');

/** Starts a server for the tests of a file: it is reset before each of them, and ends after the last. */
export async function shareOpcuaServer(): Promise<SharedOpcuaServer> {
  const dataDirectory = createTemporaryDirectory({ after });
  const server = await startOpcuaServer({ directory: `${dataDirectory}/server` });
  beforeEach(() => server.reset());
  after(() => server[Symbol.asyncDispose]());

  async function lay(t: TestContext, written: Channel<OpcuaAddress>): Promise<WrittenDriver> {
    const clock = new ManualClock(Date.now());
    const { port, endpointUrl } = server;
    const cabled = await connectOverCable(t, { port, dataDirectory, clock, intervalMs: INTERVAL_MS });
    const write = await connectWriter(t, endpointUrl, dataDirectory);
    return { ...cabled, clock, read: () => cabled.read(READ), write: (value) => write(written, value) };
  }

  return { server, dataDirectory, lay };
}
