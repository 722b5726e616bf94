import path from 'node:path';

import type { Make } from './counterpart.ts';

/** The brokers; each accepts every client but the user `intruder`, and every topic but `denied`. */
export const MQTT_MAKES: readonly Make[] = [
  {
    name: 'mochi-mqtt',
    folder: 'mochi-rights',
    build: () => [['go', 'build', '-mod=readonly', '-o', 'server', '.']],
    start: (directory) => [path.join(directory, 'server')],
  },
  {
    name: 'HiveMQ Community',
    folder: 'hivemq',
    build: () => [
      ['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
      ['javac', '-cp', 'lib/*', '-d', 'classes', 'Counterpart.java'],
    ],
    start: () => ['java', '-Xmx512m', '-cp', 'classes:lib/*', 'Counterpart'],
  },
];
