// ReceiverSimulator
