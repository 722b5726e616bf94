import type { ClientStackFactory } from '../../../../drivers/opcua/browse/client-stack.ts';
import { loadLibrary } from '../../../../drivers/opcua/session/opcua-library.ts';
import type { SimulatedServer } from './simulated-server.ts';
import { SimulatedTransport } from './simulated-transport.ts';

/** The servers of a world, by the URLs of their endpoints. */
export class OpcuaNetwork {
  readonly #servers = new Map<string, SimulatedServer>();

  /** Adds a server; it can be connected from now on. */
  add(endpointUrl: string, server: SimulatedServer): void {
    this.#servers.set(endpointUrl, server);
  }

  /** What a driver talks to these servers with; neither keys nor sockets are in it. */
  readonly equip: ClientStackFactory = async () => ({
    library: await loadLibrary(),
    createTransport: (options) => {
      const server = this.#servers.get(options.endpointUrl);
      if (server === undefined) throw new RangeError(`there is no server at ${options.endpointUrl}`);
      return new SimulatedTransport(options, server);
    },
  });
}
