import type { ServerResponse } from 'node:http';

/** Requests of which so many may be under way. */
export interface Lane {
  isFull(): boolean;
  /** Counts a request until its answer is there. */
  enter(response: ServerResponse): void;
}

/** A turn in it is over with its answer, or after `turnMs`, milliseconds; then `onLeft` is called. */
export function createLane(most: number, turnMs: number, onLeft: () => void): Lane {
  let underWay = 0;
  return {
    isFull: () => underWay >= most,
    enter(response) {
      underWay += 1;
      let isOver = false;
      const leave = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(longEnough);
        underWay -= 1;
        onLeft();
      };
      const longEnough = setTimeout(leave, turnMs);
      response.once('prefinish', leave).once('close', leave);
    },
  };
}
