import type { RecordingStop } from '../../plant/journal/lost-entries.ts';
import type { EventLog } from '../../server/event/event-log.ts';

type State = 'RECORDING' | 'STOPPED' | 'HISTORY_STOPPED';

/** Publishes changes of the recording: whether the journal takes samples, and whether the history stores them. */
export class RecordingEvents {
  readonly #events: Pick<EventLog, 'publish'>;
  #opening: RecordingStop | undefined;
  #journal: RecordingStop | undefined;
  #history: RecordingStop | undefined;
  #published: State = 'RECORDING';

  constructor(events: Pick<EventLog, 'publish'>) {
    this.#events = events;
  }

  /** Notes why journal and history cannot be opened; undefined once they are open. */
  noteOpening(stop: RecordingStop | undefined): void {
    this.#opening = stop;
    this.#publish();
  }

  noteJournal(stop: RecordingStop | undefined): void {
    this.#journal = stop;
    this.#publish();
  }

  noteHistory(fault: RecordingStop | undefined): void {
    this.#history = fault;
    this.#publish();
  }

  /** Forgets what was noted: nothing is recorded any more. */
  forget(): void {
    [this.#opening, this.#journal, this.#history] = [undefined, undefined, undefined];
    this.#published = 'RECORDING';
  }

  #publish(): void {
    const stop = this.#opening ?? this.#journal;
    const state =
      stop !== undefined ? 'STOPPED' : this.#history === undefined ? 'RECORDING' : 'HISTORY_STOPPED';
    if (state === this.#published) return;
    this.#published = state;
    const { reason: cause, code: causeCode } = stop ?? this.#history ?? {};
    this.#events.publish({
      type: 'RECORDING_STATE',
      state,
      ...(cause === undefined ? {} : { cause }),
      ...(causeCode === undefined ? {} : { causeCode }),
    });
  }
}
