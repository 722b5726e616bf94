import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { BundleMachine } from '../bundles/bundle-machine.ts';
import { METER_PACKAGE } from '../bundles/drawn-package.ts';
import type { DrawnPackage, PackageMaker } from '../bundles/drawn-package.ts';
import type { AskingClient } from './asking-client.ts';
import type { MeterConfiguration } from './meter-configuration.ts';
import { PackageClient } from './package-client.ts';
import type { Requested, ShownOperation } from './package-client.ts';
import { PackageModel } from './package-model.ts';
import type { ShownPackage } from './package-model.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

interface InstallerParts extends PersonParts {
  readonly client: AskingClient;
  readonly machine: BundleMachine;
  readonly maker: PackageMaker;
  readonly configuration: MeterConfiguration;
  /** Directory from which the gateway installs files. */
  readonly directory: string;
  /** Since when the gateway serves without a break; undefined while it does not. */
  readonly servingSinceMs: () => number | undefined;
}

// When too much is going on at once.
const BUSY: readonly number[] = [429, 503];

/** Creates somebody who installs, updates and removes packages one after the other, good and bad ones. */
export function createInstaller(given: InstallerParts): Person {
  const { name: who, time, random, chronicle, client, machine, maker } = given;
  const { configuration, directory, servingSinceMs } = given;
  const packages = new PackageClient(client, time);
  const model = new PackageModel(machine, chronicle);

  return createPerson(
    given,
    async () => {
      await configuration.settle(model.find(METER_PACKAGE) !== undefined);
      const action = random.pickWeighted({ install: 6, again: 1, remove: 2, restart: 1, look: 3 });
      const installed = random.pick([...model.names, METER_PACKAGE]);
      if (model.find(METER_PACKAGE) === undefined) await install(maker.make(METER_PACKAGE, true));
      else if (action === 'install') await install(maker.make(random.pick(maker.names)));
      else if (action === 'again') await install(model.find(installed));
      else if (action === 'remove') await remove(installed);
      else if (action === 'restart') await restart(installed);
      await look();
    },
    () => client.close(),
  );

  async function install(drawn: DrawnPackage | undefined): Promise<void> {
    if (drawn === undefined) return;
    const before = model.find(drawn.name);
    const verdict = model.judge(drawn);
    chronicle.note(who, `installs ${describe(drawn)}`);
    const names = [...drawn.bundles, ...(before?.bundles ?? [])].map(({ name }) => name);
    const disallow = machine.allowStarts(names);
    const { ended, sentMs, isInterrupted } = await operate(() => request(drawn)).finally(disallow);
    if (ended === undefined) return;
    const isDone = ended.state === 'COMPLETED';
    const hasCrashed = drawn.bundles.some(({ name }) => machine.lastCrashMs(name) >= sentMs);
    const outcome = `${describe(drawn)}: ${JSON.stringify(ended)}`;
    if (isDone && verdict === 'MUST_FAIL' && !isInterrupted) {
      chronicle.break('package-whole', `installed although it must not be: ${outcome}`);
    }
    if (!isDone && verdict === 'MUST_COMPLETE' && !isInterrupted && !hasCrashed) {
      chronicle.break('package-whole', `not installed: ${outcome}`);
    }
    if (!isDone && ended.errorCode === undefined) {
      chronicle.break('answer-shape', `no errorCode: ${outcome}`);
    }
    model.conclude(drawn.name, isDone ? drawn : before, time.monotonicMs());
    model.forgetData(isDone ? before : drawn);
  }

  async function request(drawn: DrawnPackage): Promise<Requested> {
    if (random.chance(0.5)) return packages.upload(drawn.content);
    const file = path.join(directory, `${drawn.name}.dp`);
    writeFileSync(file, drawn.content);
    return packages.install(pathToFileURL(file).href);
  }

  async function remove(name: string): Promise<void> {
    const before = model.find(name);
    if (name === METER_PACKAGE && !(await configuration.remove())) return;
    chronicle.note(who, `removes ${name}`);
    const disallow = machine.allowStarts(before?.bundles.map((bundle) => bundle.name) ?? []);
    const { ended, isInterrupted } = await operate(
      () => packages.remove(name),
      before === undefined ? 404 : 200,
    ).finally(disallow);
    if (ended === undefined || before === undefined) return;
    if (ended.state === 'COMPLETED') {
      model.conclude(name, undefined, time.monotonicMs());
      model.forgetData(before);
    } else if (!isInterrupted) {
      chronicle.break('package-whole', `${name} was not removed: ${JSON.stringify(ended)}`);
    }
  }

  async function restart(name: string): Promise<void> {
    const bundle = model.find(name)?.bundles.find(({ program }) => program !== undefined);
    if (bundle === undefined) return;
    chronicle.note(who, `restarts ${bundle.name}`);
    model.noteRestart(bundle.name, time.monotonicMs());
    const disallow = machine.allowStarts([bundle.name]);
    const answer = await packages.restart(bundle.name).finally(disallow);
    if (answer !== undefined && ![204, 404, ...BUSY].includes(answer.status)) {
      chronicle.break('answer-shape', `${who} restarts ${bundle.name}: ${answer.status} ${answer.body}`);
    }
  }

  /** Asks for an operation and waits for its end; undefined when there is none. */
  async function operate(
    ask: () => Promise<Requested>,
    expected = 200,
  ): Promise<{
    readonly ended: ShownOperation | undefined;
    readonly sentMs: number;
    readonly isInterrupted: boolean;
  }> {
    const sinceMs = servingSinceMs();
    const sentMs = time.monotonicMs();
    const requested = await ask();
    const ended = requested.kind === 'OPERATION' ? await packages.awaitEnd(requested.id) : undefined;
    const isInterrupted = sinceMs === undefined || servingSinceMs() !== sinceMs;
    const outcome = ended === undefined ? requested.kind : `${ended.state} ${ended.message ?? ''}`;
    chronicle.note(who, outcome);
    if (requested.kind === 'REFUSED' && ![expected, ...BUSY].includes(requested.answer.status)) {
      const { status, body } = requested.answer;
      chronicle.break('answer-shape', `${who}: ${status} ${body.slice(0, 300)}`);
    }
    return { ended, sentMs, isInterrupted };
  }

  async function look(): Promise<void> {
    const sentMs = time.monotonicMs();
    const sinceMs = servingSinceMs();
    const answer = await packages.list();
    if (answer?.status !== 200 || sinceMs === undefined || servingSinceMs() !== sinceMs) return;
    const shown = JSON.parse(answer.body) as readonly ShownPackage[];
    model.checkList(shown, { sentMs, answeredMs: time.monotonicMs(), servingSinceMs: sinceMs });
    await configuration.check();
  }
}

function describe({ name, version, bundles, defect }: DrawnPackage): string {
  const parts = bundles.map((bundle) => {
    const { activation = 'stored', livesMs = 'ever' } = bundle.program ?? {};
    return `${bundle.name} ${activation} ${livesMs}`;
  });
  return `${name} ${version} (${[defect ?? 'whole', ...parts].join(', ')})`;
}
