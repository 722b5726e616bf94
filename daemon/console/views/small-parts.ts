/** Parts with little code that few open: one file for all costs a slow link less than the head of a request for each. */
export { PinnedValues } from './overview/pinned-values.tsx';
export { SearchDialog } from './search/search-dialog.tsx';
