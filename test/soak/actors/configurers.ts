import { setTimeout as wait } from 'node:timers/promises';

import { createChannels, createDriver, sequence } from '../../bench/plant.ts';
import type { ClientAnswer } from '../../support/https-client.ts';
import type { Actor } from '../crew.ts';
import { expectRecords, expectStatus } from '../expect.ts';
import { LastingSession } from '../ground.ts';
import type { Ground } from '../ground.ts';
import { IDENTITIES } from '../plant.ts';

const ROOT = '/services/configuration/v1';
const REVERT_PATIENCE_MS = 30_000;
const EXTRA = 'extra';
/** Reading it again is in order: another change came between the tag and the request. */
const OUTDATED = 412;
const ATTEMPTS = 20;

/** Changes the configuration: each step does the next of these things. */
export function createConfigurers(ground: Ground): readonly Actor[] {
  const configurer = new Configurer(ground);
  let steps = 0;
  return [
    {
      name: 'configuration',
      pauseMs: 1500,
      async step() {
        await configurer.perform(steps);
        steps += 1;
      },
    },
  ];
}

class Configurer {
  readonly #ground: Ground;
  readonly #session: LastingSession;
  #previous = 0;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#session = new LastingSession(ground, IDENTITIES.engineer);
  }

  /** Each of these leaves the configuration so that the next one can follow, also after a failure. */
  async perform(step: number): Promise<void> {
    const actions = [
      () => this.#addDriver(step),
      () => this.#addAsset(step),
      () => this.#changeConfirmed(step),
      () => this.#changeReverted(step),
      () => this.#dryRun(step),
      () => this.#changeTakenBack(step),
      () => this.#remove(),
      () => this.#changeBanner(step),
      () => this.#rollBack(),
    ];
    await actions[step % actions.length]?.();
  }

  /** A connection of its own to a device that others use as well. */
  async #addDriver(step: number): Promise<void> {
    const more = { callDeadlineMs: 9000 + (step % 100) };
    await this.#put(`/drivers/${EXTRA}`, createDriver(EXTRA, this.#ground.counterparts.steadyPort, more));
  }

  async #addAsset(step: number): Promise<void> {
    await this.#put(`/assets/${EXTRA}`, describeAsset(step));
    expectRecords(await this.#session.send('GET', `/services/assets/${EXTRA}/_read`));
  }

  async #changeConfirmed(step: number): Promise<void> {
    await this.#put(`/assets/${EXTRA}?confirmWithin=60`, describeAsset(step));
    expectStatus(await this.#session.send('GET', `${ROOT}/_confirm`), 200);
    expectStatus(await this.#session.send('POST', `${ROOT}/_confirm`), 204);
  }

  async #changeTakenBack(step: number): Promise<void> {
    await this.#put(`/assets/${EXTRA}?confirmWithin=60`, describeAsset(step));
    expectStatus(await this.#session.send('POST', `${ROOT}/_takeBack`), 200);
  }

  /** The change reverts as no one confirms it. */
  async #changeReverted(step: number): Promise<void> {
    await this.#put('/banners?confirmWithin=1', describeBanner(`unconfirmed ${step}`));
    const untilMs = performance.now() + REVERT_PATIENCE_MS;
    while (performance.now() < untilMs) {
      await wait(250);
      const { text } = expectStatus(await this.#session.send('GET', `${ROOT}/banners`), 200);
      if (!text.includes('unconfirmed')) return;
    }
    throw new Error('the change was not reverted');
  }

  async #dryRun(step: number): Promise<void> {
    const body = describeAsset(step);
    expectStatus(await this.#session.send('PUT', `${ROOT}/assets/${EXTRA}?dryRun=true`, { body }), 200);
  }

  async #remove(): Promise<void> {
    await this.#change('DELETE', `/assets/${EXTRA}`);
    await this.#change('DELETE', `/drivers/${EXTRA}`);
    expectStatus(await this.#session.send('GET', `/services/assets/${EXTRA}/_read`), 404);
  }

  async #changeBanner(step: number): Promise<void> {
    const { json } = expectStatus(await this.#session.send('GET', `${ROOT}/snapshots`), 200);
    this.#previous =
      (json as { readonly snapshots: readonly { readonly id: number }[] }).snapshots[0]?.id ?? 0;
    await this.#put('/banners', describeBanner(`notice ${step}`));
  }

  async #rollBack(): Promise<void> {
    await this.#change('POST', `/snapshots/${this.#previous}/_rollback`);
    const { text } = expectStatus(await this.#session.send('GET', `${ROOT}/banners`), 200);
    if (text.includes('notice')) throw new Error(`rolled back, and banners are ${text}`);
  }

  async #put(path: string, body: object): Promise<void> {
    await this.#change('PUT', path, body);
  }

  async #change(method: string, path: string, body?: object): Promise<ClientAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const tag = (await this.#session.send('GET', `${ROOT}/rest`)).headers.etag ?? '';
      const headers = { 'If-Match': tag };
      const answer = await this.#session.send(method, `${ROOT}${path}`, { headers, body });
      if (answer.status !== OUTDATED || attempt === ATTEMPTS) return expectStatus(answer, 200);
    }
  }
}

function describeAsset(step: number): object {
  return { pid: EXTRA, driver: EXTRA, channels: createChannels(sequence(5 + (step % 40))) };
}

function describeBanner(message: string): object {
  return { preLogin: { enabled: true, message } };
}
