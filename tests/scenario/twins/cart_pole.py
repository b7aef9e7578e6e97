# SPDX-License-Identifier: GPL-2.0-only
"""envs/cart_pole/ in Python: carts that balance poles, with the shared deployment."""

import math
from array import array

import defiance_zoo.scenario as sc

GRAVITY, POLE_MASS, TOTAL_MASS, HALF_LENGTH = 9.8, 0.1, 1.1, 0.5
POLE_MASS_LENGTH = POLE_MASS * HALF_LENGTH
X_LIMIT, THETA_LIMIT = 2.4, 12 * 2 * 3.141592653589793 / 360

sim = sc.Simulation("cart_pole")
sim.parameter("carts", 1, range=(1, 1000), help="Number of cart-poles.")


class Cart:
    """Gymnasium's CartPole-v1, with a force that holds until it is changed."""

    def __init__(self, state):
        self.state, self.force, self.fallen = list(state), 0.0, False
        self.sampled, self.survived = [], []

    def start(self):
        self.updated = sc.now()
        sc.after(0, lambda: sc.after(0, self.report))

    def push(self, force):
        self.advance()
        self.force = force

    def sample(self):
        if not self.fallen:
            self.advance()
            self.fallen = abs(self.state[0]) > X_LIMIT or abs(self.state[2]) > THETA_LIMIT
            for each in self.survived:
                each()
        self.report()

    def report(self):
        for each in self.sampled:
            each()
        sc.after("20ms", self.sample)

    def advance(self):
        dt = (sc.now() - self.updated).seconds
        self.updated = sc.now()
        if self.fallen or dt == 0:
            return
        x, x_dot, theta, theta_dot = self.state
        cos, sin = math.cos(theta), math.sin(theta)
        temp = (self.force + POLE_MASS_LENGTH * (theta_dot * theta_dot) * sin) / TOTAL_MASS
        theta_acc = (GRAVITY * sin - cos * temp) / (
            HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * (cos * cos) / TOTAL_MASS)
        )
        x_acc = temp - POLE_MASS_LENGTH * theta_acc * cos / TOTAL_MASS
        x += dt * x_dot
        x_dot += dt * x_acc
        theta += dt * theta_dot
        theta_dot += dt * theta_acc
        self.state = [x, x_dot, theta, theta_dot]


@sim.deployment
class CartPoles(sc.Deployment):
    device = "cart"
    interval = "20ms"
    accesses = ("point-to-point", "csma", "wifi")

    def count_devices(self):
        return self.p.carts

    def build_devices(self):
        self.nodes = sc.nodes(self.p.carts)
        draw = sc.random_variable(Min=-0.05, Max=0.05)
        self.carts = [Cart(draw() for _ in range(4)) for _ in self.nodes]
        return self.nodes

    def start_devices(self):
        for node, cart in zip(self.nodes, self.carts, strict=True):
            sc.on_start(node, cart.start)

    def make_applications(self, device):
        cart = self.carts[device]
        observer, rewarder, actor = sc.Observation(None), sc.Reward(None), sc.Action(None)
        cart.survived.append(lambda: rewarder.send(1.0))
        cart.sampled.append(
            lambda: observer.send(fallen=int(cart.fallen), state=array("f", cart.state))
        )
        actor.on_action(lambda agent, push: cart.push(10.0 if push == 1 else -10.0))
        return observer, rewarder, actor

    def make_agent(self, number):
        carts = self.p.carts if self.is_central else 1
        bounds = [2 * X_LIMIT, math.inf, 2 * THETA_LIMIT, math.inf] * carts
        actions = sc.MultiDiscrete([2] * carts) if self.is_central else sc.Discrete(2)
        agent = sc.Agent(None, sc.Box([-each for each in bounds], bounds), actions)
        states, fallen, decided = [0.0] * (4 * carts), [0] * carts, []
        first = number

        @agent.on_observation
        def receive(sender, message):
            cart = sender - first
            states[4 * cart : 4 * cart + 4] = message["state"]
            fallen[cart] = message["fallen"]
            agent.observation = states
            if carts == 1:
                decide()
            elif not decided or not decided[-1].pending:
                decided[:] = [sc.after(0, decide)]

        def decide():
            if all(fallen):
                agent.terminate()
            else:
                agent.decide()

        @agent.on_action
        def act(action):
            if not self.is_central:
                agent.send_action(action)
                return
            for cart, push in enumerate(action):
                if not fallen[cart]:
                    agent.send_action(push, first + cart)

        return agent
