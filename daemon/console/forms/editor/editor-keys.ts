import {
  deleteLine,
  historyKeymap,
  indentLess,
  indentMore,
  moveLineDown,
  moveLineUp,
  standardKeymap,
  toggleLineComment,
} from '@codemirror/commands';
import { Prec } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';

import { goToNextFault, goToPreviousFault } from './fault-marks.ts';

/** Key bindings of the text. Tab is not bound: it leaves the text, as anywhere on the page (WCAG 2.1.2). */
export function createKeys(onSubmit: () => void): Extension {
  const submit = (): boolean => {
    onSubmit();
    return true;
  };
  return [
    Prec.highest(keymap.of([{ key: 'Ctrl-Enter', run: submit }])),
    keymap.of([
      ...historyKeymap,
      { key: 'F8', run: goToNextFault, shift: goToPreviousFault },
      { key: 'Mod-/', run: toggleLineComment },
      { key: 'Mod-[', run: indentLess },
      { key: 'Mod-]', run: indentMore },
      { key: 'Alt-ArrowUp', run: moveLineUp },
      { key: 'Alt-ArrowDown', run: moveLineDown },
      { key: 'Shift-Mod-k', run: deleteLine },
      ...standardKeymap,
    ]),
  ];
}
