import path from 'node:path';

import { PYTHON } from '../support/python-environment.ts';
import type { Make } from './counterpart.ts';

/** An OPC UA server of another make. */
export interface OpcuaMake extends Make {
  /** Path of its URL. */
  readonly urlPath: string;
  /** Beginning of the NodeIds of its values. */
  readonly prefix: string;
  /** True if it supports protected messages and users. */
  readonly isSecured: boolean;
  /** True if it enforces the setting `limit`. */
  readonly hasLimits: boolean;
  /** True if it stores messages, and sends them again. */
  readonly republishes: boolean;
  /** True if it was seen to change the interval of a subscription. */
  readonly changesIntervals?: true;
  /** Sampling interval with which no change is lost; absent: each one. */
  readonly safeSamplingIntervalMs?: number;
  /** True if its items have queues, of 10 values or more. */
  readonly hasQueues: boolean;
  /** Values that it does not support. */
  readonly missing: readonly string[];
}

/** The servers; each holds the values of `opcua.ts`. */
export const OPCUA_MAKES: readonly OpcuaMake[] = [
  {
    name: 'Eclipse Milo',
    folder: 'milo',
    build: () => [
      ['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
      ['javac', '-cp', 'lib/*', '-d', 'classes', 'Counterpart.java'],
    ],
    start: () => ['java', '-cp', 'classes:lib/*', 'Counterpart'],
    urlPath: '/plant',
    prefix: 'nsu=urn:penstock:test;s=',
    isSecured: true,
    hasLimits: true,
    republishes: true,
    changesIntervals: true,
    hasQueues: true,
    missing: [],
  },
  {
    name: 'open62541',
    folder: 'open62541',
    build: (directory) => [
      [PYTHON, '-m', 'venv', 'environment'],
      [path.join(directory, 'environment/bin/pip'), 'install', '-q', '-r', 'requirements.txt'],
    ],
    start: (directory) => [path.join(directory, 'environment/bin/python'), '-B', 'server.py'],
    urlPath: '',
    prefix: 'ns=1;s=',
    isSecured: true,
    hasLimits: false,
    republishes: true,
    changesIntervals: true,
    hasQueues: true,
    missing: ['statusCode', 'variants'],
  },
  {
    name: 'gopcua',
    folder: 'gopcua',
    build: () => [['go', 'build', '-o', 'server', '.']],
    start: (directory) => [path.join(directory, 'server')],
    urlPath: '',
    prefix: 'nsu=urn:penstock:test;s=',
    isSecured: false,
    hasLimits: false,
    republishes: false,
    hasQueues: false,
    missing: [],
  },
  {
    name: 'async-opcua',
    folder: 'async-opcua',
    build: () => [['cargo', 'build', '--quiet']],
    start: (directory) => [path.join(directory, 'target/debug/counterpart')],
    urlPath: '',
    prefix: 'nsu=urn:penstock:test;s=',
    isSecured: true,
    hasLimits: true,
    republishes: true,
    changesIntervals: true,
    // It forgets a change within the sampling interval of the one before, if it publishes in between.
    safeSamplingIntervalMs: 0,
    hasQueues: true,
    missing: ['variants'],
  },
];
