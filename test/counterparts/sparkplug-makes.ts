import path from 'node:path';

import { PYTHON } from '../support/python-environment.ts';
import type { Make } from './counterpart.ts';

/** A host application. */
export const TAHU: Make = {
  name: 'Eclipse Tahu',
  folder: 'tahu',
  build: () => [
    ['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
    ['javac', '-cp', 'lib/*', '-d', 'classes', 'Counterpart.java'],
  ],
  start: () => ['java', '-Dlogback.configurationFile=quiet.xml', '-cp', 'classes:lib/*', 'Counterpart'],
};

/** A decoder of messages. */
export const PYSPARKPLUG: Make = {
  name: 'pysparkplug',
  folder: 'pysparkplug',
  build: (directory) => [
    [PYTHON, '-m', 'venv', 'environment'],
    [path.join(directory, 'environment/bin/pip'), 'install', '-q', '-r', 'requirements.txt'],
  ],
  start: (directory) => [path.join(directory, 'environment/bin/python'), '-B', 'decode.py'],
};
