import { render } from 'preact';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { EDITOR } from '../../text/editor.ts';
import { fill } from '../../text/fill.ts';
import type { Wanted } from './find-text.ts';

interface FindFormProps extends Wanted {
  /** Number of matches. */
  readonly count: number;
  /** Selected match, from 1; undefined: none. */
  readonly place: number | undefined;
  readonly onChange: (wanted: Partial<Wanted>) => void;
  readonly onNext: () => void;
  readonly onPrevious: () => void;
  readonly onReplace: (insert: string) => void;
  readonly onReplaceAll: (insert: string) => void;
  readonly onClose: () => void;
}

/** Renders the find form into an element outside the page's own tree; undefined removes it. */
export function renderFindForm(parent: HTMLElement, props: FindFormProps | undefined): void {
  render(props === undefined ? undefined : <FindForm {...props} />, parent);
}

function FindForm(props: FindFormProps): JSX.Element {
  const { words, matchesCase, count, place, onChange, onNext, onPrevious } = props;
  const [insert, setInsert] = useState('');
  const onEnter = (event: KeyboardEvent, isShifted: () => void, otherwise: () => void): void => {
    if (event.key !== 'Enter' || event.ctrlKey) return;
    event.preventDefault();
    (event.shiftKey ? isShifted : otherwise)();
  };
  const isNowhere = words !== '' && count === 0;
  return (
    <div class="find" role="search">
      <div>
        <input
          aria-label={fill(EDITOR.find)}
          placeholder={fill(EDITOR.find)}
          aria-invalid={isNowhere}
          value={words}
          onInput={({ currentTarget }) => onChange({ words: currentTarget.value })}
          onKeyDown={(event) => onEnter(event, onPrevious, onNext)}
        />
        <button type="button" onClick={onNext}>
          {fill(EDITOR.next)}
        </button>
        <button type="button" onClick={onPrevious}>
          {fill(EDITOR.previous)}
        </button>
        <label>
          <input
            type="checkbox"
            checked={matchesCase}
            onChange={({ currentTarget }) => onChange({ matchesCase: currentTarget.checked })}
          />
          {fill(EDITOR.matchCase)}
        </label>
        <span role="status">
          {isNowhere ? fill(EDITOR.nowhere) : undefined}
          {words === '' || isNowhere ? undefined : fill(EDITOR.places, { place: place ?? '-', count })}
        </span>
      </div>
      <div>
        <input
          aria-label={fill(EDITOR.replaceBy)}
          placeholder={fill(EDITOR.replaceBy)}
          value={insert}
          onInput={({ currentTarget }) => setInsert(currentTarget.value)}
          onKeyDown={(event) => onEnter(event, onPrevious, () => props.onReplace(insert))}
        />
        <button type="button" onClick={() => props.onReplace(insert)}>
          {fill(EDITOR.replace)}
        </button>
        <button type="button" onClick={() => props.onReplaceAll(insert)}>
          {fill(EDITOR.replaceAll)}
        </button>
      </div>
      <button type="button" class="close" aria-label={fill(EDITOR.close)} onClick={props.onClose}>
        ×
      </button>
    </div>
  );
}
