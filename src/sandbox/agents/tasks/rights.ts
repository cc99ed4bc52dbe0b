import { changes, reads, request, SHARED, type TaskTable } from './task.ts';

const { text, brand, key } = SHARED;

/** Tasks of a rights agent. */
export const RIGHTS_TASKS: TaskTable = {
  get_rights: reads('Finds rights to faces, voices and works', request({ query: text, brand }), () => ({
    rights: [
      {
        rights_id: 'voice-of-the-harbour',
        name: 'Voice of the harbour',
        uses: ['audio'],
        countries: ['NL', 'BE'],
      },
    ],
  })),
  acquire_rights: changes(
    'Licenses rights',
    request({ idempotency_key: key, rights_id: text, brand }, ['rights_id']),
  ),
};
