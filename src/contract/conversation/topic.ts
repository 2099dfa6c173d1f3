/** Whether a topic is the one that somebody names: by its whole id, or by the name that people joined it by. */
export function isTopicNamed(topic: string, named: string): boolean {
  return topic === named || topic.endsWith(`:${named.toLowerCase()}`);
}
