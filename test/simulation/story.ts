import type { Scenario } from './scenario.ts';
import type { WorldRun } from './world.ts';

// What matters happened shortly before.
const SHOWN_LINES = 60;
const LONGEST_LINE = 400;

/** Prints what happened before an invariant broke: who took part, which faults came, and the last things said and done. */
export function printStory({ seed }: Scenario, { broken, lines, faults, people }: WorldRun): void {
  if (broken === undefined) {
    print(`seed ${seed}: everything held in the last run`);
    return;
  }
  print('');
  print(`What did not hold: ${broken.invariant}`);
  print(`  ${broken.message}`);
  print(`Who took part: ${people.join(', ') || 'nobody'}`);
  print('Faults until then:');
  const begun = faults.filter(({ startMs }) => startMs <= broken.atMs);
  for (const { id, startMs, endMs, text } of begun.slice(-SHOWN_LINES)) {
    print(`  ${toSeconds(startMs)} to ${toSeconds(endMs)} s: ${text} (${id})`);
  }
  print('The last that happened (seconds):');
  for (const line of lines.slice(-SHOWN_LINES)) print(`  ${toStoryLine(line)}`);
  print('');
}

function toStoryLine(line: string): string {
  const space = line.indexOf(' ');
  const text = `${toSeconds(Number(line.slice(0, space)))} ${line.slice(space + 1)}`;
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}

function toSeconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
