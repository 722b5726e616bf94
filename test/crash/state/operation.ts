import { cpSync } from 'node:fs';

import { loadSettingsFile } from '../../../daemon/settings/settings-file.ts';
import { describeState, findDivergence, PROBE } from './description.ts';
import { openKeeper } from './keeper.ts';
import { OPERATIONS } from './operations.ts';

// One run of the stores of configuration and identities, in a process that may be killed at any moment:
// `operation.ts DIRECTORY OPERATION PARAMETER...`. `start` only starts and stops; `provision FILE` and `prune FILE` start with
// provision files. The outcome is reported as soon as a client would hear it, and once more at the end, with the stored state.
const [directory = '', name = '', ...parameters] = process.argv.slice(2);

process.stdout.on('error', () => undefined);
const isProvided = name === 'provision' || name === 'prune';
const sources = isProvided ? (await loadSettingsFile(parameters[0] ?? '')).provisionSources : [];
const keeper = await openKeeper(directory, sources);
const outcome = await operate();
say({ outcome });
const objections = [...findDivergence(keeper), ...(outcome === 'COMPLETED' ? [] : await goOn())];
say({ outcome, objections, state: await describeState(keeper) });
await keeper.stop();

async function operate(): Promise<string> {
  try {
    await OPERATIONS[name]?.(keeper, parameters);
    return 'COMPLETED';
  } catch (error) {
    return `REFUSED ${String(error)}`;
  }
}

/** A refused change must neither be there after a loss of power at this moment, nor keep others from their work. */
async function goOn(): Promise<readonly string[]> {
  cpSync(directory, `${directory}-at-answer`, { recursive: true });
  try {
    await OPERATIONS['create']?.(keeper, [PROBE]);
    return [];
  } catch (error) {
    return [`it does not go on: ${String(error)}`];
  }
}

function say(report: object): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
