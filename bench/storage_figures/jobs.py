"""Jobs that read a few of a table's features: few are popular, and each team has its own. Orders of features follow from past jobs."""
import collections
import math
import random

TEAMS = 4
OWN = 8  # So much likelier is a feature to be read by its own team.
ON_TRIAL, SELDOM = 0.7, 0.005  # Most of what is stored is on trial or given up (of RM1's 14,614 features 1,650 are active): so much less is read.
LISTS = 2  # So much likelier than numbers are lists, which are longer.


class Jobs:
    """Past jobs, which an order of features may know, and present ones, which are measured."""

    def __init__(self, features, share, past, present, seed):
        self.features = features  # [(name, is a list)], in the order of their ids
        rng = random.Random(seed)
        count = max(1, round(share * len(features)))
        ranks = list(range(1, len(features) + 1))
        rng.shuffle(ranks)  # Ids are handed out as features are invented, whoever will read them.
        weights = [(LISTS if is_list else 1) * (SELDOM if rng.random() < ON_TRIAL else 1) / rank for (_, is_list), rank in zip(features, ranks)]
        teams = [rng.randrange(TEAMS) for _ in features]

        def draw():
            team = rng.randrange(TEAMS)
            keys = [-math.log(1 - rng.random()) / (w * (OWN if t == team else 1)) for w, t in zip(weights, teams)]
            return sorted(sorted(range(len(keys)), key=keys.__getitem__)[:count])

        self.past = [draw() for _ in range(past)]
        self.present = [draw() for _ in range(present)]
        self.uses = collections.Counter(f for job in self.past for f in job)

    def names(self, job):
        return [self.features[f][0] for f in job]

    def most_read(self, share=0.8):
        """The least share of the features that gets this share of what past jobs read."""
        left, total = share * sum(self.uses.values()), 0
        for _, n in self.uses.most_common():
            if left <= 0:
                break
            left, total = left - n, total + 1
        return total / len(self.features)

    def order(self, kind):
        """The names of all features as a writer should put them."""
        return self.names({"ids": self._by_id, "popularity": self._by_popularity, "co-read": self._by_co_read}[kind]())

    def _by_id(self):
        return list(range(len(self.features)))

    def _by_popularity(self):
        return sorted(self._by_id(), key=lambda f: -self.uses[f])

    def _by_co_read(self):
        """From the most popular on, always the one that most of the same jobs read."""
        readers = [0] * len(self.features)
        for number, job in enumerate(self.past):
            for f in job:
                readers[f] |= 1 << number
        left = [f for f in self._by_popularity() if readers[f]]
        order = left[:1]
        left = left[1:]
        while left:
            last = readers[order[-1]]
            at = max(range(len(left)), key=lambda i: (readers[left[i]] & last).bit_count() / (readers[left[i]] | last).bit_count())
            order.append(left.pop(at))
        return order + [f for f in self._by_id() if not readers[f]]
