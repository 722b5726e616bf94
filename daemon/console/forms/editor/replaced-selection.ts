import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * Replaces the selection by the typed text.
 *
 * By default, a browser joins the lines around a selection and keeps their look in inline styles, which the CSP of the page
 * blocks and reports.
 */
export const REPLACED_SELECTION: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, cancelable, isComposing } = event;
    if (!cancelable || isComposing || view.state.selection.main.empty) return false;
    const isDeletion = inputType.startsWith('deleteContent');
    const text = isDeletion ? '' : inputType === 'insertText' ? data : null;
    if (text === null) return false;
    view.dispatch(view.state.replaceSelection(text), {
      scrollIntoView: true,
      userEvent: isDeletion ? 'delete.selection' : 'input.type',
    });
    return true;
  },
});
