import { openMqttLink } from '../../../../bundles/mqtt/broker/mqtt-link.ts';
import { machineTime } from '../../../../bundles/mqtt/time.ts';
import { EdgeNode } from '../../../../bundles/penstock-sparkplug/delivery/edge-node.ts';
import { BirthCount } from '../../../../bundles/penstock-sparkplug/node/birth-count.ts';
import schema from '../../../../bundles/penstock-sparkplug/settings.schema.json' with { type: 'json' };
import { readSettings } from '../../../../bundles/penstock-sparkplug/settings.ts';
import { NodeStatus } from '../../../../bundles/penstock-sparkplug/status.ts';
import { parseDeclaredSchema } from '../../../../daemon/software/bundle/declared-schema.ts';
import type { PlainRecord } from '../../../../daemon/software/bundle/runner/context.ts';
import { MemoryJournal } from '../../../support/memory-journal.ts';
import type { TakenSample } from '../../../support/memory-journal.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { startSessionRecorder } from './session-recorder.ts';
import type { Recorded, SessionRecorder } from './session-recorder.ts';

const checker = parseDeclaredSchema('penstock-sparkplug', schema);

/** Group and edge node of the sessions. */
export const NAME = { group: 'Plant', node: 'north' } as const;

/** Channels of the journal: one of each value type, and a second device. */
const CHANNELS = [
  {
    asset: 'boiler',
    channel: 'level',
    valueType: 'DOUBLE',
    isWritable: true,
    unit: 'mm',
    minimum: 0,
    maximum: 9000,
  },
  { asset: 'boiler', channel: 'isOn', valueType: 'BOOLEAN', isWritable: true },
  { asset: 'boiler', channel: 'count', valueType: 'INTEGER', isWritable: true },
  { asset: 'boiler', channel: 'total', valueType: 'LONG', isWritable: true },
  { asset: 'boiler', channel: 'ratio', valueType: 'FLOAT', isWritable: true },
  { asset: 'boiler', channel: 'mode', valueType: 'STRING', isWritable: true },
  { asset: 'boiler', channel: 'image', valueType: 'BYTE_ARRAY', isWritable: true },
  { asset: 'pump', channel: 'speed', valueType: 'DOUBLE', isWritable: false },
] as const;

/** An edge node in front of brokers whose packets are recorded. */
export interface RecordedEdgeNode {
  readonly recorder: SessionRecorder;
  readonly journal: MemoryJournal;
  /** Asset, channel and value of each write. */
  readonly writes: readonly (readonly [asset: string, channel: string, value: unknown])[];
  /** Resolves when so many values have been written. */
  written(count: number): Promise<void>;
  /** Makes reads wait from now on; returns a function that lets them go on. */
  holdReads(): () => void;
  /** Resolves when a read waits. */
  whenReading(): Promise<void>;
  /** Takes a sample of now. */
  take(sample: Omit<TakenSample, 'timestampMs'>): void;
  /** Adds a channel to the recorder. */
  addChannel(channel: string): void;
  start(): void;
  stop(): Promise<void>;
  /** Moves the clocks of edge node and recorder ahead. */
  advance(ms: number): void;
  now(): number;
}

/** Options of a recorded edge node. */
export interface RecordedOptions {
  readonly brokerPorts: readonly number[];
  readonly primaryHost?: string;
  /** Port of a broker that comes first, and cannot be reached. */
  readonly closedPort?: number;
  readonly declared?: Readonly<Record<string, unknown>>;
}

/** Makes an edge node that is stopped; it ends with the test. */
export async function recordEdgeNode(
  owner: Owner,
  { brokerPorts, primaryHost, closedPort, declared = {} }: RecordedOptions,
): Promise<RecordedEdgeNode> {
  let offsetMs = 0;
  const now = (): number => Date.now() + offsetMs;
  const recorded: Recorded = {
    ...NAME,
    writable: ['boiler'],
    ...(primaryHost === undefined ? {} : { primaryHost }),
  };
  const recorder = await startSessionRecorder(owner, brokerPorts, recorded, now);
  const journal = new MemoryJournal();
  const define = (more: readonly string[]): void =>
    journal.define([
      ...CHANNELS,
      ...more.map((channel) => ({ asset: 'pump', channel, valueType: 'DOUBLE', isWritable: false })),
    ]);
  const added: string[] = [];
  define(added);
  const settings = readSettings(
    checker.parse({
      brokers: [closedPort ?? [], ...recorder.ports].flat().map((port) => `mqtt://127.0.0.1:${port}`),
      recorders: ['fast'],
      groupId: NAME.group,
      ...(primaryHost === undefined ? {} : { primaryHost }),
      ...declared,
    }),
    NAME.node,
  );
  const directory = createTemporaryDirectory(owner);
  let held: Promise<void> | undefined;
  let onReading: () => void = () => {};
  const writes: (readonly [string, string, unknown])[] = [];
  const waiting = new Set<() => void>();
  let edge: EdgeNode | undefined;
  const stop = async (): Promise<void> => {
    await edge?.stop();
    edge = undefined;
  };
  owner.after(stop);
  return {
    recorder,
    journal,
    writes,
    holdReads() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    whenReading: () => new Promise((resolve) => (onReading = resolve)),
    written: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (writes.length >= count) resolve();
        };
        waiting.add(look);
        look();
      }),
    now,
    take: (sample) => void journal.takeSample({ ...sample, timestampMs: now() }),
    addChannel(channel) {
      added.push(channel);
      define(added);
    },
    start() {
      edge = new EdgeNode(
        {
          gateway: NAME.node,
          version: '1.0.0',
          journal: () => journal,
          assets: {
            read: async (asset) => {
              if (held !== undefined) {
                onReading();
                await held;
              }
              return readNow(asset, now());
            },
            write: async (asset, elements) => {
              for (const { name, value } of elements) writes.push([asset, name, value]);
              for (const look of waiting) look();
              return [];
            },
          },
          births: new BirthCount(directory),
          status: new NodeStatus(),
          logger: { debug() {}, info() {}, warn() {}, error() {} },
          time: {
            ...machineTime,
            nowMs: () => machineTime.nowMs() + offsetMs,
            sleep: (ms, signal) => machineTime.sleep(ms / 50, signal),
          },
          epochMs: now,
          openLink: openMqttLink,
        },
        settings,
      );
      edge.start();
    },
    stop,
    advance: (ms) => void (offsetMs += ms),
  };
}

/** The boiler has two values, of different times; nothing is known of the others. */
function readNow(asset: string, nowMs: number): readonly PlainRecord[] {
  if (asset !== 'boiler') return [];
  return [
    { name: 'level', valueType: 'DOUBLE', value: 1.5, quality: 'GOOD', timestampMs: nowMs },
    { name: 'count', valueType: 'INTEGER', value: -7, quality: 'UNCERTAIN', timestampMs: nowMs - 5000 },
  ];
}
