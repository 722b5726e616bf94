import type { ClientStackFactory } from '../../../drivers/opcua/browse/client-stack.ts';
import type { ServiceTransport } from '../../../drivers/opcua/transport/service-transport.ts';

/** The connections to OPC UA servers of a gateway for one of its lives: they end with it, and it does not hear of that. */
export class LifeEquipment {
  readonly #equip: ClientStackFactory;
  readonly #open = new Set<ServiceTransport>();
  #isOver = false;

  constructor(equip: ClientStackFactory) {
    this.#equip = equip;
  }

  /** Connections that were opened and have not ended. */
  get openLinks(): number {
    return this.#open.size;
  }

  readonly equip: ClientStackFactory = async (context) => {
    const equipment = await this.#equip(context);
    return {
      ...equipment,
      createTransport: (options) => this.#follow(equipment.createTransport(options)),
    };
  };

  end(): void {
    this.#isOver = true;
    for (const transport of this.#open) transport.close(new Error('the process has died'));
    this.#open.clear();
  }

  // A proxy, because transports know sessions of transports of their own kind.
  #follow(transport: ServiceTransport): ServiceTransport {
    const open: ServiceTransport['open'] = (events) => {
      if (this.#isOver) return new Promise(() => undefined);
      this.#open.add(transport);
      return transport.open({
        onHeard: () => {
          if (!this.#isOver) events.onHeard();
        },
        onClose: (reason) => {
          this.#open.delete(transport);
          if (!this.#isOver) events.onClose(reason);
        },
      });
    };
    return new Proxy(transport, {
      get: (target, key) => {
        if (key === 'open') return open;
        // The gateway ends it itself.
        if (key === 'close' || key === 'dispose') this.#open.delete(target);
        const member: unknown = Reflect.get(target, key);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  }
}
