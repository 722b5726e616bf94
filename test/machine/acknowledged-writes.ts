import type { AnswerOf } from '../../daemon/interface/endpoint.ts';
import type { listIdentities } from '../../daemon/interface/security/identities.ts';
import type { GatewayOnMachine } from './gateway-on-machine.ts';

const DRIVERS = '/services/configuration/v1/drivers';
const IDENTITIES = '/services/identity/v1/identities';

interface Driver {
  readonly pid: string;
  readonly port?: number;
}

/** Waits for work on a machine; returns `cut` when the connection to it was lost during the work. */
export async function untilCut<T>(work: Promise<T>): Promise<T | 'cut'> {
  try {
    return await work;
  } catch (error) {
    // A refusal of the gateway itself has no code.
    if ((error as { readonly code?: unknown }).code === undefined) throw error;
    return 'cut';
  }
}

/** Changes configuration and identities one after the other, and knows which changes were acknowledged. */
export class AcknowledgedWrites {
  readonly #gateway: GatewayOnMachine;
  #attempted = 0;
  #driverPort = 0;
  readonly #identities: string[] = [];

  constructor(gateway: GatewayOnMachine) {
    this.#gateway = gateway;
  }

  get count(): number {
    return this.#identities.length;
  }

  /** Writes until the power is cut. */
  async run(): Promise<void> {
    for (;;) {
      if ((await untilCut(this.#writeOne())) === 'cut') return;
    }
  }

  /** Returns acknowledged writes that are missing; empty when nothing is lost. */
  async findLosses(): Promise<readonly string[]> {
    const drivers = (await this.#gateway.ask('GET', DRIVERS)) as readonly Driver[];
    const port = drivers.find(({ pid }) => pid === 'counter')?.port ?? 0;
    const { userConfig } = (await this.#gateway.ask('GET', IDENTITIES)) as AnswerOf<typeof listIdentities>;
    const names = new Set(userConfig.map(({ userName }) => userName));
    return [
      ...this.#identities.filter((name) => !names.has(name)),
      // The change that was not acknowledged may be there as well.
      ...(port >= this.#driverPort ? [] : [`the driver has port ${port}, not ${this.#driverPort}`]),
    ];
  }

  async #writeOne(): Promise<void> {
    this.#attempted += 1;
    const port = 1024 + this.#attempted;
    const body = { type: 'modbus', host: '127.0.0.1', port };
    await this.#gateway.ask('PUT', `${DRIVERS}/counter`, { headers: { 'If-Match': '*' }, body });
    this.#driverPort = port;
    const userName = `writer-${this.#attempted}`;
    await this.#gateway.ask('POST', IDENTITIES, { body: { userName } });
    this.#identities.push(userName);
  }
}
